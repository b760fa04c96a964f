#include "process/jail_init.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/descendants.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_credentials.hpp"
#include "process/jail_plan.hpp"
#include "process/jail_root.hpp"
#include "process/jail_target.hpp"
#include "process/wait_ready.hpp"

namespace assay::process {
namespace {

constexpr std::chrono::minutes kPatience{1};  // with a parent that lives but says nothing

class Init {
 public:
  explicit Init(UniqueFd control) : control_(std::move(control)) {}

  int run();

 private:
  [[nodiscard]] Deadline patience() const { return {clock_, kPatience}; }
  [[nodiscard]] bool report(const InitReport& report) {
    return control_.send(encode(report), patience()).has_value();
  }
  [[nodiscard]] Result<void> set_up(const JailPlan& plan);
  [[nodiscard]] Result<void> await_go();
  [[nodiscard]] bool start(std::vector<UniqueFd> descriptors);
  void supervise();
  [[nodiscard]] bool reap_children();
  void end_everything() const;

  SystemClock clock_;
  FrameChannel control_;
  JailPlan plan_;
  pid_t target_ = -1;
  Ended ended_{};
};

/// The kernel prefers such processes when the machine itself runs out of memory. Where the server
/// is protected from that, its children would be too, and a group's limit could kill nobody.
void volunteer_for_the_out_of_memory_killer() {
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kScore = "500";
  if (file) (void)!::write(file.get(), kScore.data(), kScore.size());
}

void reset_signals() {
  // By the kernel's own call: the C library does not let go of the two signals it uses itself.
  constexpr std::array<unsigned long, 4> kDefault{};  // handler, flags, restorer, mask
  for (int signal = 1; signal < NSIG; ++signal) {
    (void)::syscall(SYS_rt_sigaction, signal, kDefault.data(), nullptr, sizeof(unsigned long));
  }
}

Result<void> Init::set_up(const JailPlan& plan) {
  if (!plan.pid_namespace) (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (plan.restrict) volunteer_for_the_out_of_memory_killer();
  std::vector<DetachedBind> binds;
  if (plan.mount_namespace) {
    ASSAY_TRY(binds, detach_binds(plan));
  }
  if (plan.change_identity) {
    if (auto assumed = assume_jail_identity(); !assumed) return assumed;
  }
  if (plan.mount_namespace) {
    if (auto built = build_root(plan, binds); !built) return built;
  }
  constexpr std::string_view kHostName = "assay";
  if (plan.host_name && ::sethostname(kHostName.data(), kHostName.size()) != 0) {
    return std::unexpected(errno_error("set the host name"));
  }
  if (plan.loopback) {
    if (auto raised = raise_loopback(); !raised) return raised;
  }
  if (plan.restrict) {
    if (auto dropped = drop_privileges(plan.kept); !dropped) return dropped;
  }
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // not to be traced by what it starts
  return {};
}

Result<void> Init::await_go() {
  ASSAY_TRY(const std::string word, control_.receive(patience()));
  if (word != kGo) return fail(ErrorCode::internal, "expected go");
  return {};
}

/// False, with the failure reported, if the program does not run.
bool Init::start(std::vector<UniqueFd> descriptors) {
  const auto target = start_target(plan_, std::move(descriptors));
  if (target) {
    target_ = *target;
    return report(Started{});
  }
  const TargetFailure& failure = target.error();
  if (failure.at_exec) {
    (void)report(ExecFailed{failure.error_number});
  } else {
    const std::string reason = std::generic_category().message(failure.error_number);
    (void)report(SetupFailed{fmt::format("{}: {}", failure.step, reason)});
  }
  return false;
}

/// True once the program itself has ended.
bool Init::reap_children() {
  while (true) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid <= 0) return false;
    if (pid != target_) continue;
    ended_ = {.wait_status = status,
              .peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
    return true;
  }
}

void Init::end_everything() const {
  // In a pid namespace our own end does it, and waits for it.
  if (!plan_.pid_namespace) kill_descendants();
}

void Init::supervise() {
  sigset_t child_ended;
  ::sigemptyset(&child_ended);
  ::sigaddset(&child_ended, SIGCHLD);
  const UniqueFd signals(::signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK));
  std::array<pollfd, 2> entries{pollfd{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = control_.fd(), .events = POLLIN, .revents = 0}};
  while (!reap_children()) {
    const auto polled = poll_for(entries, std::chrono::hours(1));
    if (!polled || entries[1].revents != 0)
      return end_everything();  // our parent is dead or wants us to be
    signalfd_siginfo info{};
    (void)!::read(signals.get(), &info, sizeof(info));
  }
  end_everything();
  (void)report(ended_);
}

int Init::run() {
  auto frame = control_.receive_frame(patience());
  if (!frame) return 1;
  auto plan = decode_plan(frame->bytes);
  if (!plan) return 1;
  plan_ = *std::move(plan);
  auto ready = set_up(plan_);
  if (ready) ready = await_go();
  if (!ready) {
    (void)report(SetupFailed{ready.error().message()});
    return 1;
  }
  if (plan_.argv.empty()) return report(Started{}) && report(Ended{}) ? 0 : 1;
  if (!start(std::move(frame->descriptors))) return 1;
  supervise();
  return 0;
}

}  // namespace

int jail_init_main(int /*argc*/, char** /*argv*/) {
  // They were blocked before we were made, so that nothing could end us half way.
  reset_signals();
  ::_exit(Init(UniqueFd(kControlDescriptor)).run());
}

}  // namespace assay::process
