#include "process/testkit/jail_fixture.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"
#include "process/testkit/hostile.hpp"
#include "process/wait_ready.hpp"

namespace assay::process::testkit {
namespace {

const SystemClock kClock;

}  // namespace

LifeLine::LifeLine() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  watched_.reset(ends[0]);
  held_.reset(ends[1]);
}

bool LifeLine::cut(std::chrono::nanoseconds patience) {
  give_away();
  std::array<pollfd, 1> entries{pollfd{.fd = watched_.get(), .events = POLLIN, .revents = 0}};
  const auto ready = poll_for(entries, patience);
  return ready && *ready && (entries[0].revents & POLLHUP) != 0;
}

Deadline in(std::chrono::nanoseconds time) {
  return {kClock, time};
}

const JailSupport& full_support() {
  static const JailSupport kSupport = probe_jail_support();
  return kSupport;
}

JailSupport support_without(std::initializer_list<JailPart> parts) {
  JailSupport support = full_support();
  for (JailPartStatus& status : support.parts) {
    if (std::ranges::find(parts, status.part) != parts.end()) status.available = false;
  }
  if (!support.has(JailPart::cgroup_memory)) support.cgroups.memory.reset();
  if (!support.has(JailPart::cgroup_pids)) support.cgroups.pids.reset();
  if (!support.has(JailPart::seccomp)) {
    support.filters.clear();
  }
  return support;
}

Command hostile(std::string_view behaviour, std::string_view argument) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  Command command;
  command.argv = {self.string(), std::string(kHostileCommand), std::string(behaviour),
                  std::string(argument)};
  // A sanitizer would turn the crash under test into an exit of its own.
  command.environment = {
      "ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_abort=0:allow_user_segv_handler=1",
      "TSAN_OPTIONS=handle_segv=0:handle_abort=0:report_thread_leaks=0"};
  command.jail = JailProfile{.name = "test", .binds = {{.host = self, .inside = self}}};
  return command;
}

CapturedRun run(const Command& command, const JailSupport& support) {
  constexpr std::size_t kOutputLimit = std::size_t{64} << 10U;
  auto result = run_captured(command, support, in(std::chrono::minutes(1)), {}, kOutputLimit);
  if (!result) {
    ADD_FAILURE() << result.error().message();
    return {};
  }
  return *std::move(result);
}

int spawner_main(int /*argc*/, char** /*argv*/) {
  Command command = hostile("leave_a_daemon_and_loop");
  command.descriptors = {{kLifeLineNumber, kLifeLineNumber}, {STDOUT_FILENO, STDOUT_FILENO}};
  const auto child = Subprocess::spawn(command, full_support());
  if (!child) {
    std::puts(child.error().message().c_str());
    return 1;
  }
  while (true) ::pause();
}

}  // namespace assay::process::testkit
