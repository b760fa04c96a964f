#include "trace/analysis/analysis.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/sums.hpp"

namespace assay::trace {

const Attribution& Analysis::attribution() {
  if (!attribution_) attribution_ = attribute(trace_);
  return *attribution_;
}

const Coverage& Analysis::coverage() {
  if (!coverage_) coverage_ = coverage_of(trace_, attribution());
  return *coverage_;
}

const std::vector<Classified>& Analysis::classes() {
  if (!classes_) classes_ = classify_functions(trace_, classifier_);
  return *classes_;
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
  if (text.empty()) return kernel_sums(trace_, naming);
  ASSAY_TRY(const auto ranges, ranges_named(text));
  const std::vector<std::uint8_t> chosen = kernels_in(trace_, attribution(), ranges, rule);
  if (chosen.empty()) return std::vector<NamedSummary>();
  return kernel_sums(trace_, naming, chosen);
}

}  // namespace assay::trace
