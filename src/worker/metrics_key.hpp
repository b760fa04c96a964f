#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "eval/profiled_call.hpp"
#include "model/device_info.hpp"
#include "worker/metrics_lane.hpp"

namespace assay::worker {

/// What counters depend on beside the request.
struct MetricsScope {
  const DeviceInfo& device;
  const std::filesystem::path& ncu;  // known by its file, not by what it says of itself
  std::string python;                // versions; empty where there is none
};

/// Names the counters of one side. It stands for what was built, the inputs' shapes and kinds (not
/// their seed), the device, the profiler, and what the profiler is asked for. The reference's
/// counters do not depend on the candidate. The candidate's inputs may come from the reference.
/// Nothing if what was built cannot be read. `kernels` is the expression for their names.
[[nodiscard]] std::optional<Digest> metrics_key(const MetricsTask& task, eval::Side side,
                                                const std::string& kernels,
                                                const MetricsScope& scope);

}  // namespace assay::worker
