#include "process/subprocess.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/cgroup_slot.hpp"
#include "process/clone_child.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/init_launch.hpp"
#include "process/jail_plan.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/own_user.hpp"
#include "process/wait_ready.hpp"

namespace assay::process {
namespace {

constexpr int kMaxDescriptorNumber = 255;
// Building a jail takes a millisecond or two; this is for a machine in great trouble.
constexpr std::chrono::seconds kSetupLimit{20};

Result<void> check(const Command& command) {
  std::vector<int> numbers;
  for (const auto& [ours, number] : command.descriptors) {
    if (ours < 0 || number < 0 || number > kMaxDescriptorNumber ||
        std::ranges::find(numbers, number) != numbers.end()) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("descriptor {} cannot be given as number {}", ours, number));
    }
    numbers.push_back(number);
  }
  if (!command.argv.empty() && command.argv[0].find('/') == std::string::npos) {
    return fail(ErrorCode::invalid_argument, "not a path: " + command.argv[0]);
  }
  if (command.jail) {
    for (const Bind& bind : command.jail->binds) {
      if (bind.host.is_absolute() && bind.inside.is_absolute()) continue;
      return fail(ErrorCode::invalid_argument, "not an absolute path: " + bind.host.string());
    }
  }
  return {};
}

/// Nothing is kept where we have nothing to give.
KeptCapability kept_by(const JailProfile& jail) {
  return ::geteuid() == 0 ? jail.kept : KeptCapability::none;
}

/// A capability counts with a driver only outside of user namespaces.
bool makes_user_namespace(const JailProfile& jail, const JailSupport& support) {
  return support.has(JailPart::user_namespace) && kept_by(jail) == KeptCapability::none;
}

/// Not where it writes into a directory of ours, which is given to kJailId.
bool has_own_user(const JailProfile& jail) {
  return is_recorded(jail.syscalls) &&
         std::ranges::none_of(jail.binds, [](const Bind& bind) { return bind.writable; });
}

JailPlan make_plan(const Command& command, const JailSupport& support) {
  JailPlan plan;
  plan.argv = command.argv;
  plan.environment = command.environment;
  plan.working_directory = command.working_directory.string();
  for (const auto& [ours, number] : command.descriptors) plan.descriptor_numbers.push_back(number);
  if (!command.jail) return plan;
  plan.pid_namespace = support.has(JailPart::pid_namespace);
  plan.mount_namespace = support.has(JailPart::mount_namespace);
  plan.private_proc = plan.pid_namespace && support.has(JailPart::private_proc);
  plan.host_name = support.has(JailPart::uts_namespace);
  plan.change_identity = support.has(JailPart::user_namespace) || ::geteuid() == 0;
  plan.restrict = true;
  plan.limit_private_memory = !support.has(JailPart::cgroup_memory);
  plan.limit_user_processes = !support.has(JailPart::cgroup_pids);
  plan.binds = command.jail->binds;
  plan.limits = command.jail->limits;
  plan.seccomp_program = support.filter(command.jail->syscalls);
  plan.loopback = command.jail->syscalls == SyscallPolicy::gpu_profiler &&
                  support.has(JailPart::network_namespace);
  plan.kept = kept_by(*command.jail);
  // A zygote mounts, which Landlock forbids for good; its children restrict themselves. What
  // drivers of GPUs need of it nobody has tried.
  if (is_recorded(command.jail->syscalls) && command.jail->syscalls != SyscallPolicy::zygote) {
    plan.landlock = support.landlock;
  }
  if (plan.working_directory.empty()) plan.working_directory = "/";
  return plan;
}

std::uint64_t namespace_flags(const JailProfile& jail, const JailSupport& support) {
  constexpr std::array<std::pair<JailPart, std::uint64_t>, 6> kFlags{{
      {JailPart::user_namespace, CLONE_NEWUSER},
      {JailPart::mount_namespace, CLONE_NEWNS},
      {JailPart::pid_namespace, CLONE_NEWPID},
      {JailPart::network_namespace, CLONE_NEWNET},
      {JailPart::ipc_namespace, CLONE_NEWIPC},
      {JailPart::uts_namespace, CLONE_NEWUTS},
  }};
  std::uint64_t flags = 0;
  for (const auto& [part, flag] : kFlags) {
    const bool made =
        part == JailPart::user_namespace ? makes_user_namespace(jail, support) : support.has(part);
    if (made) flags |= flag;
  }
  return flags;
}

Error exec_error(const std::string& program, int error_number) {
  const ErrorCode code =
      error_number == ENOENT ? ErrorCode::not_found : ErrorCode::invalid_argument;
  return {code, fmt::format("run {}: {}", program, std::generic_category().message(error_number))};
}

bool has_ended(int pidfd, std::chrono::nanoseconds wait) {
  std::array<pollfd, 1> entries{pollfd{.fd = pidfd, .events = POLLIN, .revents = 0}};
  const auto ready = poll_for(entries, wait);
  return ready && *ready;
}

/// Without a pid namespace the program may kill init before init has said that it runs. That is the
/// program's doing, and wait() will tell it.
bool was_killed(const ClonedChild& init) {
  siginfo_t info{};
  return has_ended(init.pidfd.get(), std::chrono::seconds(1)) &&
         ::waitid(P_PID, static_cast<id_t>(init.pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
         info.si_code == CLD_KILLED && info.si_status == SIGKILL;
}

}  // namespace

Result<Subprocess> Subprocess::spawn(const Command& command, const JailSupport& support) {
  if (auto checked = check(command); !checked) return std::unexpected(checked.error());
  std::optional<CgroupSlot> slot;
  if (command.jail) {
    const Limits& limits = command.jail->limits;
    // Init itself counts as one process.
    ASSAY_TRY(slot, CgroupSlot::create(support.cgroups, limits.memory_bytes, limits.processes + 1,
                                       command.jail->share));
  } else if (command.memory_bytes) {
    CgroupTree memory = support.cgroups;
    memory.pids.reset();
    ASSAY_TRY(slot, CgroupSlot::create(memory, *command.memory_bytes, 0));
  }
  ASSAY_TRY(auto channel, FrameChannel::pair());
  ASSAY_TRY(ClonedChild child,
            launch_init({.namespaces = command.jail ? namespace_flags(*command.jail, support) : 0,
                         .cgroup_fd = slot ? slot->clone_fd() : -1,
                         .control = channel.second.get()}));
  Subprocess result(std::move(child), std::move(channel.first));
  channel.second.reset();  // or the end of init would not close the channel
  result.slot_ = std::move(slot);
  if (auto started = result.start(command, support); !started) {
    return std::unexpected(std::move(started).error());
  }
  return result;
}

Result<void> Subprocess::start(const Command& command, const JailSupport& support) {
  const SystemClock clock;
  const Deadline deadline(clock, kSetupLimit);
  const JailPlan plan = make_plan(command, support);
  pid_namespace_ = plan.pid_namespace;
  memory_limit_ = command.memory_bytes.value_or(plan.limits.memory_bytes);
  std::vector<int> descriptors;
  descriptors.reserve(command.descriptors.size());
  for (const auto& [ours, number] : command.descriptors) descriptors.push_back(ours);

  Result<void> step;
  if (command.jail && makes_user_namespace(*command.jail, support)) {
    step = map_identity(child_.pid, has_own_user(*command.jail),
                        command.jail->syscalls == SyscallPolicy::zygote);
  }
  if (step) step = control_.send(encode(plan), descriptors, deadline);
  // Meanwhile init builds the root.
  if (step && slot_) step = slot_->join(child_.pid);
  if (step) step = control_.send(kGo, deadline);
  // An init that has ended early has said why, and then our own failure is only that it is gone.
  auto said = control_.receive(step ? deadline : Deadline(clock, std::chrono::seconds::zero()));
  if (!said && step && was_killed(child_)) return {};
  if (!said) return std::unexpected(step ? said.error() : step.error());
  ASSAY_TRY(const InitReport report, decode_report(*said));
  if (const auto* failed = std::get_if<SetupFailed>(&report)) {
    const std::string what = command.jail ? command.jail->name + " jail" : "process";
    return fail(ErrorCode::unavailable, fmt::format("prepare the {}: {}", what, failed->message));
  }
  if (const auto* failed = std::get_if<ExecFailed>(&report)) {
    return std::unexpected(exec_error(command.argv[0], failed->error_number));
  }
  return {};
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : child_{.pid = std::exchange(other.child_.pid, -1), .pidfd = std::move(other.child_.pidfd)},
      control_(std::move(other.control_)),
      slot_(std::exchange(other.slot_, std::nullopt)),
      pid_namespace_(other.pid_namespace_),
      memory_limit_(other.memory_limit_),
      peak_memory_(other.peak_memory_),
      status_(other.status_) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this == &other) return *this;
  destroy();
  child_ = {.pid = std::exchange(other.child_.pid, -1), .pidfd = std::move(other.child_.pidfd)};
  control_ = std::move(other.control_);
  slot_ = std::exchange(other.slot_, std::nullopt);
  pid_namespace_ = other.pid_namespace_;
  memory_limit_ = other.memory_limit_;
  peak_memory_ = other.peak_memory_;
  status_ = other.status_;
  return *this;
}

Subprocess::~Subprocess() {
  destroy();
}

void Subprocess::destroy() {
  if (child_.pid < 0 || status_) return;
  kill();
  (void)reap(child_.pid);
  slot_.reset();
}

Result<ExitStatus> Subprocess::wait(const std::stop_token& stop, Deadline deadline) {
  if (status_) return *status_;
  if (auto ended = wait_ready(pidfd(), POLLIN, deadline, stop); !ended) {
    return std::unexpected(std::move(ended).error());
  }
  return finish();
}

std::optional<ExitStatus> Subprocess::poll() {
  if (!status_ && has_ended(pidfd(), std::chrono::nanoseconds::zero())) (void)finish();
  return status_;
}

void Subprocess::kill() {
  if (child_.pid < 0 || status_) return;
  if (!pid_namespace_) {
    // Only init can find all that was started, so it is asked, by closing its channel.
    ::shutdown(control_.fd(), SHUT_RDWR);
    constexpr std::chrono::seconds kPatience{2};
    if (has_ended(pidfd(), kPatience)) return;
    if (slot_) slot_->kill_all();
  }
  ::syscall(SYS_pidfd_send_signal, pidfd(), SIGKILL, nullptr, 0);
}

std::uint64_t Subprocess::peak_memory_bytes() const {
  if (status_ || !slot_) return peak_memory_;
  return slot_->peak_memory_bytes().value_or(peak_memory_);
}

/// Init has ended or is about to; learns how the program ended and gives everything back.
ExitStatus Subprocess::finish() {
  const ExitStatus init_status = from_wait_status(reap(child_.pid));
  // An init that was killed, or told to end, says nothing; then so did the program end.
  ExitStatus status = Signalled{SIGKILL};
  if (std::holds_alternative<Signalled>(init_status)) status = init_status;
  const SystemClock clock;
  const Deadline at_once(clock, std::chrono::seconds(1));  // init is gone: all it said is here
  while (const auto bytes = control_.receive(at_once)) {
    const auto report = decode_report(*bytes);
    if (!report) break;
    if (const auto* ended = std::get_if<Ended>(&*report)) {
      status = from_wait_status(ended->wait_status);
      peak_memory_ = ended->peak_memory_bytes;
    }
  }
  if (slot_) {
    peak_memory_ = slot_->peak_memory_bytes().value_or(peak_memory_);
    if (slot_->out_of_memory_kills() > 0 && status != ExitStatus(Exited{0})) {
      status = OverMemory{memory_limit_};
    }
    slot_.reset();
  }
  status_ = status;
  return status;
}

}  // namespace assay::process
