#pragma once

#include <optional>
#include <string>

#include "model/device_metrics.hpp"
#include "model/kernel_choice.hpp"
#include "model/timing_summary.hpp"

namespace assay::metrics {

/// What a choice means for one kernel's call.
struct ChosenKernels {
  std::string expression;           // for the profiler; empty: every name
  std::optional<std::string> none;  // why none of the call's kernels is chosen
};

/// Decides by what was seen of the call while it was timed. If that is not known, a share chooses
/// all.
[[nodiscard]] ChosenKernels choose_kernels(const KernelChoice& choice,
                                           const std::optional<TimingSummary>& timing);

/// The choice in words: "launches of kernels whose name has 'gemm' in it, …"; empty where there is
/// none.
[[nodiscard]] std::string describe(const KernelChoice& choice);

}  // namespace assay::metrics
