#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "trace/analysis/counted_picks.hpp"
#include "trace/analysis/pick_kernels.hpp"

namespace assay::profile {

/// Called before each run of the program under Nsight Compute.
using NcuProgress =
    std::function<void(std::size_t number, std::size_t of, const trace::KernelPick& pick)>;

/// Runs the plan's program once for each pick under `ncu`, and leaves a report and a log for each
/// in `folder`. A report that is already there is taken as it is, if the same command made it. So a
/// run that was interrupted goes on where it stopped. A pick that fails says why and does not stop
/// the others. With an empty `ncu`, nothing runs: picks without a report are left out. Fails with
/// `cancelled` on a stop request; what was counted until then stays.
[[nodiscard]] Result<std::vector<trace::CountedPick>> run_ncu(const trace::PickPlan& plan,
                                                              const std::filesystem::path& ncu,
                                                              const std::filesystem::path& folder,
                                                              const std::stop_token& stop,
                                                              const Clock& clock,
                                                              const NcuProgress& progress);

}  // namespace assay::profile
