#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/lazy.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// A trace, and what several reports and questions compute from it. Each part is computed when
/// first asked for. The trace and the classifier must outlive it. Any number of threads may use it.
class Analysis {
 public:
  Analysis(const Trace& trace, const OpClassifier& classifier)
      : trace_(trace), classifier_(classifier) {}

  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] const OpClassifier& classifier() const { return classifier_; }
  [[nodiscard]] const Attribution& attribution();
  [[nodiscard]] const Coverage& coverage();
  /// In the order of Trace::functions.
  [[nodiscard]] const std::vector<Classified>& classes();
  /// All kernels, as the function of the same name sums them.
  [[nodiscard]] const std::vector<NamedSummary>& kernel_sums(KernelNaming naming);

  /// Kernels by name inside the ranges `text` names ("A + B": of either), or all for "". Fails
  /// as select_ranges does.
  [[nodiscard]] Result<std::vector<NamedSummary>> kernels_within(std::string_view text,
                                                                 RangeRule rule,
                                                                 KernelNaming naming);
  /// The same inside the ranges that have a nonzero byte.
  [[nodiscard]] std::vector<NamedSummary> kernels_within(const std::vector<std::uint8_t>& ranges,
                                                         RangeRule rule, KernelNaming naming);
  /// The ranges themselves, as a byte per range.
  [[nodiscard]] Result<std::vector<std::uint8_t>> ranges_named(std::string_view text) const;

 private:
  const Trace& trace_;
  const OpClassifier& classifier_;
  Lazy<Attribution> attribution_;
  Lazy<Coverage> coverage_;
  Lazy<std::vector<Classified>> classes_;
  std::array<Lazy<std::vector<NamedSummary>>, 2> kernel_sums_;  // by KernelNaming
};

}  // namespace assay::trace
