#include "trace/ncu/report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace assay::trace {

std::string_view to_string(NcuWorkload workload) {
  switch (workload) {
    case NcuWorkload::kernel:
      return "kernel";
    case NcuWorkload::range:
      return "range";
    case NcuWorkload::cmdlist:
      return "cmdlist";
    case NcuWorkload::graph:
      return "graph";
  }
  return "unknown";
}

std::string_view to_string(NcuReport::Source source) {
  switch (source) {
    case NcuReport::Source::rep:
      return "ncu-rep";
    case NcuReport::Source::raw_page:
      return "raw page CSV";
    case NcuReport::Source::details_page:
      return "details page CSV";
  }
  return "unknown";
}

const NcuMetric* NcuLaunch::find(std::string_view metric) const {
  const auto found = std::ranges::lower_bound(metrics, metric, {}, &NcuMetric::name);
  return found != metrics.end() && found->name == metric ? &*found : nullptr;
}

std::optional<double> NcuLaunch::number(std::string_view metric) const {
  const NcuMetric* found = find(metric);
  if (found == nullptr) return std::nullopt;
  const auto value = found->value.number();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string_view NcuLaunch::text(std::string_view metric) const {
  const NcuMetric* found = find(metric);
  if (found == nullptr) return {};
  const auto* text = std::get_if<std::string>(&found->value.value());
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

void NcuLaunch::sort_metrics() {
  std::ranges::stable_sort(metrics, {}, &NcuMetric::name);
}

const NcuSection* NcuReport::find_section(std::string_view id) const {
  const auto found = std::ranges::find(sections, id, &NcuSection::id);
  return found == sections.end() ? nullptr : &*found;
}

}  // namespace assay::trace
