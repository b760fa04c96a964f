#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/device_metrics.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/kernel_choice.hpp"
#include "model/runner_protocol.hpp"
#include "trace/ncu/report.hpp"

namespace assay::metrics {

/// Why what is asked for cannot be counted in the kernel's process; nothing if it can.
[[nodiscard]] std::optional<std::string> why_not_counted(const MetricsWanted& wanted,
                                                         const KernelChoice& kernels,
                                                         KernelType type);

/// What is counted where nothing is named: all that the answer's groups are made from and that
/// CUPTI counts. Chips have most of them.
[[nodiscard]] std::vector<std::string> usual_counters();

/// The launch that was counted.
struct CountedLaunch {
  std::string kernel;
  std::optional<Dim3> grid{};
  std::optional<Dim3> block{};
};

/// What was counted as Nsight Compute would report it: one launch, in the range of this name. So
/// the same code reads both.
[[nodiscard]] trace::NcuReport report_of(const Counted& counted, CountedLaunch launch,
                                         const std::string& range);

}  // namespace assay::metrics
