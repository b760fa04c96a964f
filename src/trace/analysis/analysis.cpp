#include "trace/analysis/analysis.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"

namespace assay::trace {

const Attribution& Analysis::attribution() {
  return attribution_.get([&] { return attribute(trace_); });
}

const Coverage& Analysis::coverage() {
  return coverage_.get([&] { return coverage_of(trace_, attribution()); });
}

const std::vector<Classified>& Analysis::classes() {
  return classes_.get([&] { return classify_functions(trace_, classifier_); });
}

const std::vector<NamedSummary>& Analysis::kernel_sums(KernelNaming naming) {
  return kernel_sums_.at(static_cast<std::size_t>(naming)).get([&] {
    return trace::kernel_sums(trace_, naming);
  });
}

Result<std::vector<std::uint8_t>> Analysis::ranges_named(std::string_view text) const {
  // A name with " + " in it is still found by itself.
  if (auto whole = select_ranges(trace_, text)) return whole;
  constexpr std::string_view kAnd = " + ";
  std::vector<std::uint8_t> chosen(trace_.ranges.size(), 0);
  while (!text.empty()) {
    const std::size_t end = text.find(kAnd);
    ASSAY_TRY(const auto part, select_ranges(trace_, text.substr(0, end)));
    for (std::size_t row = 0; row < chosen.size(); ++row) chosen[row] |= part[row];
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + kAnd.size());
  }
  return chosen;
}

Result<std::vector<NamedSummary>> Analysis::kernels_within(std::string_view text, RangeRule rule,
                                                           KernelNaming naming) {
  if (text.empty()) return kernel_sums(naming);
  ASSAY_TRY(const auto ranges, ranges_named(text));
  return kernels_within(ranges, rule, naming);
}

std::vector<NamedSummary> Analysis::kernels_within(const std::vector<std::uint8_t>& ranges,
                                                   RangeRule rule, KernelNaming naming) {
  const std::vector<std::uint8_t> chosen = kernels_in(trace_, attribution(), ranges, rule);
  if (chosen.empty()) return {};
  return trace::kernel_sums(trace_, naming, chosen);
}

}  // namespace assay::trace
