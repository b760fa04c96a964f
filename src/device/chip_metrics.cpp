#include "device/chip_metrics.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/counter_host.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {

ChipMetrics::ChipMetrics(std::unique_ptr<const CuptiProfiler> cupti, std::string chip,
                         CounterHost host)
    : cupti_(std::move(cupti)), chip_(std::move(chip)), host_(std::move(host)) {}

Result<ChipMetrics> ChipMetrics::open(const std::string& cupti, const std::string& chip) {
  ASSAY_TRY(const CuptiProfiler table, CuptiProfiler::open(cupti));
  std::string name = chip;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  auto kept = std::make_unique<const CuptiProfiler>(table);
  ASSAY_TRY(CounterHost host, CounterHost::open(*kept, name));
  return ChipMetrics(std::move(kept), std::move(name), std::move(host));
}

Result<std::vector<std::string>> ChipMetrics::chips(const std::string& cupti) {
  ASSAY_TRY(const CuptiProfiler table, CuptiProfiler::open(cupti));
  profiler::Chips arguments;
  if (table.chips(&arguments) != profiler::kSuccess) {
    return fail(ErrorCode::unavailable, "CUPTI does not say which chips it knows");
  }
  std::vector<std::string> names(arguments.names, arguments.names + arguments.count);
  std::ranges::sort(names);
  return names;
}

Result<std::vector<std::string>> ChipMetrics::names() const {
  using enum profiler::MetricType;
  std::vector<std::string> all;
  for (const auto type : {counter, ratio, throughput}) {
    ASSAY_TRY(const auto own, host_.names(type));
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all);
  return all;
}

Result<MetricProperties> ChipMetrics::describe(const std::string& metric) const {
  const auto found = host_.find(metric);
  if (!found) return fail(ErrorCode::not_found, fmt::format("{} has no metric {}", chip_, metric));
  const auto text = [](const char* words) { return std::string(words == nullptr ? "" : words); };
  return MetricProperties{.description = text(found->description),
                          .hardware_unit = text(found->hardware_unit),
                          .unit = text(found->unit)};
}

Result<std::size_t> ChipMetrics::passes(std::span<const std::string> metrics) const {
  for (const std::string& metric : metrics) {
    if (auto known = describe(metric); !known) return std::unexpected(known.error());
  }
  ASSAY_TRY(CounterHost host, CounterHost::open(*cupti_, chip_));
  auto configuration = host.configure(metrics);
  if (!configuration) {
    return fail(ErrorCode::not_found,
                fmt::format("one of the metrics cannot be collected: name each with its rollup, as "
                            "in sm__cycles_active.avg ({})",
                            configuration.error().message()));
  }
  return host.passes(*configuration);
}

}  // namespace assay::device
