#include "worker/forked_process.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/runner.hpp"
#include "model/python_zygote.hpp"
#include "process/cgroup_slot.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/own_user.hpp"
#include "process/pause.hpp"
#include "process/processor_wait.hpp"
#include "process/wait_ready.hpp"
#include "wire/zygote_messages.hpp"

namespace assay::worker {
namespace {

// Beside the runner's own memory: what init and the copies of the zygote's pages take.
constexpr std::uint64_t kOverhead = std::uint64_t{256} << 20U;
constexpr std::chrono::seconds kTimeToGo{5};

/// The process behind a pidfd, by its number here; it has another in its own namespace.
Result<pid_t> pid_of(const UniqueFd& pidfd) {
  ASSAY_TRY(const std::string info, read_file(fmt::format("/proc/self/fdinfo/{}", pidfd.get())));
  constexpr std::string_view kKey = "\nPid:\t";
  const std::size_t at = info.find(kKey);
  const int pid = at == std::string::npos ? 0 : std::atoi(info.c_str() + at + kKey.size());
  if (pid <= 0) return fail(ErrorCode::unavailable, "a runner ended while it was started");
  return pid;
}

}  // namespace

Result<ForkedProcess> ForkedProcess::start(process::FrameChannel control,
                                           const process::JailSupport& support,
                                           const process::Limits& limits,
                                           const eval::Bounds& bounds) {
  ForkedProcess forked(std::move(control), limits.memory_bytes);
  auto done = forked.confine(support, limits, bounds);
  if (done) done = forked.await_ready(bounds);
  if (!done) {
    return std::unexpected(std::move(done).error().while_doing("start a Python runner"));
  }
  return forked;
}

Result<std::pair<ForkReport, UniqueFd>> ForkedProcess::next_report(const eval::Bounds& bounds) {
  ASSAY_TRY(process::Frame frame, control_.receive_frame(bounds.deadline, bounds.stop));
  ASSAY_TRY(ForkReport report, wire::decode_fork_report(frame.bytes));
  if (const auto* failed = std::get_if<ForkFailed>(&report)) {
    return fail(ErrorCode::resource_exhausted, failed->reason);
  }
  const bool carries =
      std::holds_alternative<InitWaiting>(report) || std::holds_alternative<RunnerStarted>(report);
  if (frame.descriptors.size() != (carries ? 1U : 0U)) {
    return fail(ErrorCode::internal, "a report without its pidfd");
  }
  return std::pair(report, carries ? std::move(frame.descriptors[0]) : UniqueFd());
}

Result<void> ForkedProcess::confine(const process::JailSupport& support,
                                    const process::Limits& limits, const eval::Bounds& bounds) {
  ASSAY_TRY(auto report, next_report(bounds));
  if (!std::holds_alternative<InitWaiting>(report.first)) {
    return fail(ErrorCode::internal, "a report out of turn");
  }
  init_ = std::move(report.second);
  ASSAY_TRY(slot_, process::CgroupSlot::create(support.cgroups,
                                               limits.memory_bytes + limits.tmp_bytes + kOverhead,
                                               limits.processes + 1));
  ASSAY_TRY(init_pid_, pid_of(init_));
  if (auto joined = slot_->adopt(init_pid_); !joined) return joined;
  const bool has_user = process::map_user_of_fork(init_pid_).has_value();
  return control_.send(wire::fork_go(has_user), bounds.deadline, bounds.stop);
}

Result<void> ForkedProcess::await_ready(const eval::Bounds& bounds) {
  bool ready = false;
  std::optional<Error> gone;       // a runner that failed at once; its reason is still to be read
  while (!ready || runner_ < 0) {  // init and the runner speak independently
    if (ready && gone) return std::unexpected(*std::move(gone));
    ASSAY_TRY(auto report, next_report(bounds));
    if (std::holds_alternative<RunnerStarted>(report.first)) {
      auto pid = pid_of(report.second);
      if (pid) runner_ = *pid;
      if (!pid) gone = std::move(pid).error();
    } else if (std::holds_alternative<RunnerReady>(report.first)) {
      ready = true;
    } else {
      return fail(ErrorCode::unavailable, "it ended at once");
    }
  }
  return {};
}

ForkedProcess& ForkedProcess::operator=(ForkedProcess&& other) noexcept {
  if (this == &other) return *this;
  destroy();
  control_ = std::move(other.control_);
  memory_limit_ = other.memory_limit_;
  init_ = std::move(other.init_);
  init_pid_ = other.init_pid_;
  runner_ = other.runner_;
  slot_ = std::exchange(other.slot_, std::nullopt);
  status_ = other.status_;
  return *this;
}

ForkedProcess::~ForkedProcess() {
  destroy();
}

void ForkedProcess::destroy() {
  if (!init_) return;
  kill();
  const SystemClock clock;
  (void)process::wait_ready(init_.get(), POLLIN, Deadline(clock, kTimeToGo), {});
  slot_.reset();
  init_.reset();
}

void ForkedProcess::kill() const {
  ::syscall(SYS_pidfd_send_signal, init_.get(), SIGKILL, nullptr, 0);
}

bool ForkedProcess::alive() const {
  const SystemClock clock;
  const Deadline now(clock, std::chrono::seconds::zero());
  return !process::wait_ready(init_.get(), POLLIN, now, {}).has_value();
}

Result<process::ExitStatus> ForkedProcess::wait(const std::stop_token& stop, Deadline deadline) {
  if (status_) return *status_;
  if (auto ended = process::wait_ready(init_.get(), POLLIN, deadline, stop); !ended) {
    return std::unexpected(std::move(ended).error());
  }
  const SystemClock clock;
  const auto report = next_report({Deadline(clock, std::chrono::seconds(1)), {}});
  const auto* ended = report ? std::get_if<RunnerEnded>(&report->first) : nullptr;
  process::ExitStatus status = process::Signalled{SIGKILL};
  if (ended != nullptr) status = process::from_wait_status(ended->wait_status);
  if (slot_ && slot_->out_of_memory_kills() > 0 &&
      status != process::ExitStatus(process::Exited{0})) {
    status = process::OverMemory{memory_limit_};
  } else if (ended == nullptr) {
    return fail(ErrorCode::resource_exhausted, "the Python runner was killed from outside");
  }
  status_ = status;
  return status;
}

std::optional<std::chrono::nanoseconds> ForkedProcess::cpu_time() const {
  clockid_t clock{};
  timespec used{};
  if (!alive() || ::clock_getcpuclockid(runner_, &clock) != 0 ||
      ::clock_gettime(clock, &used) != 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::optional<ProcessorUse> ForkedProcess::processor_use() const {
  return alive() ? process::processor_use(runner_) : std::nullopt;
}

// A process that is gone has left its number to somebody else.
Result<void> ForkedProcess::pause() const {
  return alive() ? process::pause_below(init_pid_) : Result<void>();
}

void ForkedProcess::resume() const {
  if (alive()) process::resume_below(init_pid_);
}

}  // namespace assay::worker
