#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/log.hpp"
#include "base/unique_fd.hpp"
#include "model/device_info.hpp"
#include "process/jail_profile.hpp"
#include "process/weak_jail.hpp"
#include "worker/metrics_lane.hpp"
#include "worker/sanitizer_lane.hpp"

namespace assay::worker {

struct WorkerOptions {
  DeviceInfo device;
  process::Limits runner_limits;
  std::size_t spare_runners = 2;
  std::uint64_t compiled_bytes = std::uint64_t{1} << 30U;  // of what Triton compiled, kept
  std::optional<std::filesystem::path> python;             // absent: Python kernels cannot run here
  std::filesystem::path data_dir;                    // where the package for Python is written
  std::optional<std::filesystem::path> device_code;  // compiled for the GPU; absent: no gate
  std::string executable;                            // our own
  MetricsOptions metrics{};
  SanitizerOptions sanitizer{};
  bool require_jail = false;      // end at once where a part of the jail is missing
  process::PartNames given_up{};  // parts that may be missing all the same
};

/// The trusted process that owns one device. It takes tasks from `channel`, one after another. It
/// answers each with steps and one outcome or error. It ends when the server closes the channel.
[[nodiscard]] int run_worker(const WorkerOptions& options, UniqueFd channel, const Log& log);

/// Bound on a frame between the server and a worker; a request with literal data is large.
inline constexpr std::size_t kWorkerFrameLimit = std::size_t{256} << 20U;

}  // namespace assay::worker
