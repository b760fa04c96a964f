#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/log.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "model/device_info.hpp"

namespace assay::cli {

/// The command of the process that holds a GPU's clocks; people do not call it.
inline constexpr const char* kHoldClocks = "hold-clocks";
/// What it says when it holds them. Anything else that it says is why it does not.
inline constexpr const char* kHeld = "held";

/// A process that holds the clocks of one GPU until this object goes, or this process dies, however
/// that happens: it then reads the end of its input. The driver itself would keep them locked.
class ClockHolder {
 public:
  /// `argv` is such a process; its first word is a path. Fails with `unavailable`, and with what
  /// the process said, if it does not hold them.
  [[nodiscard]] static Result<ClockHolder> start(std::vector<std::string> argv);
  ClockHolder(ClockHolder&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), input_(std::move(other.input_)) {}
  ClockHolder(const ClockHolder&) = delete;
  ClockHolder& operator=(const ClockHolder&) = delete;
  ClockHolder& operator=(ClockHolder&&) = delete;
  ~ClockHolder();

 private:
  ClockHolder(pid_t pid, UniqueFd input) : pid_(pid), input_(std::move(input)) {}

  pid_t pid_;  // 0: moved away
  UniqueFd input_;
};

/// Holds the clocks of every GPU among the devices `at` "base" or so many megahertz, and marks
/// them. Where a driver refuses, kernels are timed all the same: `log` says why, and results say
/// that nothing was locked. Fails with `invalid_argument` for another `at`. `executable` is this
/// program.
[[nodiscard]] Result<std::vector<ClockHolder>> hold_clocks(std::vector<DeviceInfo>& devices,
                                                           const std::string& at,
                                                           const std::string& executable,
                                                           const Log& log);

}  // namespace assay::cli
