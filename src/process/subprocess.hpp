#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/cgroup_slot.hpp"
#include "process/clone_child.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"

namespace assay::process {

/// A program to run. Paths are those the program will see: inside the jail, if there is one.
struct Command {
  /// argv[0] is a path; PATH is not searched. If empty, the jail is only built and ends: a
  /// rehearsal.
  std::vector<std::string> argv{};
  std::vector<std::string> environment{};     // all of it: nothing is inherited
  std::filesystem::path working_directory{};  // empty: the root of the jail, or ours without one
  /// Pairs of our descriptor and its number in the program. Nothing else is inherited. Of the
  /// standard three, those not listed are /dev/null.
  std::vector<std::pair<int, int>> descriptors{};
  std::optional<JailProfile> jail{};
  /// Of a program without a jail: the most that it may hold with all it starts, where a memory
  /// control group is available. What it jails has limits of its own.
  std::optional<std::uint64_t> memory_bytes{};
};

/// A running program, with all it starts, under our jail-init (process/jail_init.hpp). If this
/// process dies, even by SIGKILL, everything dies with it. The same happens when this object is
/// destroyed.
class [[nodiscard]] Subprocess {
 public:
  /// Returns when the program itself is running. Fails with `not_found` or `invalid_argument` where
  /// argv[0] cannot be executed, `unavailable` where the jail cannot be built.
  [[nodiscard]] static Result<Subprocess> spawn(const Command& command, const JailSupport& support);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  /// Waits until the program has ended and all it had started is gone. Fails with
  /// `deadline_exceeded` or `cancelled`, and then leaves it running.
  [[nodiscard]] Result<ExitStatus> wait(const std::stop_token& stop, Deadline deadline);
  /// Nothing while it runs.
  [[nodiscard]] std::optional<ExitStatus> poll();
  /// Kills the program and all it started, at once. wait() then tells how it ended.
  void kill();

  /// The pid of the jail's init, which ends when the program does.
  [[nodiscard]] pid_t pid() const { return child_.pid; }
  /// Readable once wait() would not block.
  [[nodiscard]] int pidfd() const { return child_.pidfd.get(); }
  /// The most memory in use at once. A memory control group counts it for the whole jail. Without
  /// one it is that of the largest process, known only at the end.
  [[nodiscard]] std::uint64_t peak_memory_bytes() const;

 private:
  Subprocess(ClonedChild child, FrameChannel control)
      : child_(std::move(child)), control_(std::move(control)) {}
  [[nodiscard]] Result<void> start(const Command& command, const JailSupport& support);
  [[nodiscard]] ExitStatus finish();
  void destroy();

  ClonedChild child_;  // pid is -1 once moved from
  FrameChannel control_;
  std::optional<CgroupSlot> slot_;
  bool pid_namespace_ = false;
  std::uint64_t memory_limit_ = 0;
  std::uint64_t peak_memory_ = 0;
  std::optional<ExitStatus> status_;
};

}  // namespace assay::process
