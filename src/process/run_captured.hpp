#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "process/exit_status.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"

namespace assay::process {

struct CapturedRun {
  std::optional<ExitStatus> status;  // none: it ran past the deadline and was killed
  std::string output;                // standard output and error, as they came
  std::uint64_t dropped_bytes = 0;   // of output past the limit
  std::chrono::nanoseconds elapsed{};
  std::uint64_t peak_memory_bytes = 0;
};

/// Runs a command to its end. Keeps the first `output_limit` bytes of what it prints, and reads
/// past the rest. So printing gigabytes neither blocks it nor fills our memory. Descriptors 1 and 2
/// must not be among the command's own. Fails with `cancelled` if `stop` is requested; the command
/// is then dead.
[[nodiscard]] Result<CapturedRun> run_captured(const Command& command, const JailSupport& support,
                                               Deadline deadline, const std::stop_token& stop,
                                               std::size_t output_limit);

}  // namespace assay::process
