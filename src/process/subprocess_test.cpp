#include "process/subprocess.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "process/exit_status.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

using namespace std::chrono_literals;
using testkit::full_support;
using testkit::hostile;
using testkit::in;
using testkit::kLifeLineNumber;
using testkit::LifeLine;

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

Command holding(const LifeLine& line, Command command) {
  command.descriptors.emplace_back(line.end(), kLifeLineNumber);
  return command;
}

Command without_jail(Command command) {
  command.jail.reset();
  return command;
}

TEST(Subprocess, tells_the_exit_code_and_goes_on_telling_it) {
  auto child = Subprocess::spawn(hostile("exit", "3"), full_support()).value();
  EXPECT_EQ(child.wait({}, in(1min)).value(), ExitStatus(Exited{3}));
  EXPECT_EQ(child.wait({}, in(1min)).value(), ExitStatus(Exited{3}));
  EXPECT_EQ(child.poll(), ExitStatus(Exited{3}));
  child.kill();
  EXPECT_GT(child.peak_memory_bytes(), 0U);
}

TEST(Subprocess, runs_without_a_jail_too) {
  auto child = Subprocess::spawn(without_jail(hostile("abort")), full_support()).value();
  EXPECT_EQ(child.wait({}, in(1min)).value(), ExitStatus(Signalled{SIGABRT}));
}

TEST(Subprocess, that_does_not_exist_is_not_found) {
  for (const bool jailed : {true, false}) {
    Command command = hostile("exit", "0");
    command.argv[0] = "/usr/bin/no-such-program";
    if (!jailed) command.jail.reset();
    const auto child = Subprocess::spawn(command, full_support());
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code(), ErrorCode::not_found);
    EXPECT_EQ(child.error().message(), "run /usr/bin/no-such-program: No such file or directory");
  }
}

TEST(Subprocess, that_is_not_executable_is_an_invalid_argument) {
  Command command = hostile("exit", "0");
  command.argv[0] = "/etc/passwd";
  EXPECT_EQ(Subprocess::spawn(command, full_support()).error().code(), ErrorCode::invalid_argument);
  command.argv[0] = "ls";
  EXPECT_EQ(Subprocess::spawn(command, full_support()).error().code(), ErrorCode::invalid_argument);
}

TEST(Subprocess, refuses_descriptor_numbers_that_cannot_be) {
  Command command = hostile("exit", "0");
  command.descriptors = {{0, 7}, {1, 7}};
  EXPECT_EQ(Subprocess::spawn(command, full_support()).error().code(), ErrorCode::invalid_argument);
  command.descriptors = {{0, 100000}};
  EXPECT_EQ(Subprocess::spawn(command, full_support()).error().code(), ErrorCode::invalid_argument);
  command.descriptors = {{-1, 5}};
  EXPECT_EQ(Subprocess::spawn(command, full_support()).error().code(), ErrorCode::invalid_argument);
}

TEST(Subprocess, reports_a_bind_or_a_directory_that_is_missing) {
  Command command = hostile("exit", "0");
  command.working_directory = "/nonexistent";
  EXPECT_EQ(Subprocess::spawn(command, full_support()).error().code(), ErrorCode::unavailable);
  ASSAY_NEEDS(mount_namespace);
  command = hostile("exit", "0");
  command.jail->binds.push_back({.host = "/nonexistent", .inside = "/data"});
  const auto child = Subprocess::spawn(command, full_support());
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(child.error().message(),
            "prepare the test jail: bind /nonexistent: No such file or directory");
  command.jail->binds.back().optional = true;
  EXPECT_TRUE(Subprocess::spawn(command, full_support()));
}

TEST(Subprocess, wait_ends_at_the_deadline_or_when_stopped_and_leaves_it_running) {
  auto child = Subprocess::spawn(hostile("hang"), full_support()).value();
  EXPECT_EQ(child.wait({}, in(1ms)).error().code(), ErrorCode::deadline_exceeded);
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(child.wait(stop.get_token(), in(1min)).error().code(), ErrorCode::cancelled);
  EXPECT_EQ(child.poll(), std::nullopt);
  child.kill();
  EXPECT_EQ(child.wait({}, in(1min)).value(), ExitStatus(Signalled{SIGKILL}));
}

TEST(Subprocess, dies_with_everything_it_started_when_destroyed) {
  for (const bool jailed : {true, false}) {
    LifeLine line;
    {
      Command command = holding(line, hostile("leave_a_daemon_and_loop"));
      if (!jailed) command.jail.reset();
      const auto child = Subprocess::spawn(command, full_support()).value();
      line.give_away();
      EXPECT_FALSE(line.cut(20ms));
    }
    EXPECT_TRUE(line.cut(0ms)) << (jailed ? "jailed" : "without a jail");
  }
}

TEST(Subprocess, leaves_no_grandchild_behind_once_wait_has_returned) {
  for (const bool jailed : {true, false}) {
    LifeLine line;
    Command command = holding(line, hostile("leave_a_daemon"));
    if (!jailed) command.jail.reset();
    auto child = Subprocess::spawn(command, full_support()).value();
    EXPECT_EQ(child.wait({}, in(1min)).value(), ExitStatus(Exited{0}));
    EXPECT_TRUE(line.cut(0ms)) << (jailed ? "jailed" : "without a jail");
  }
}

TEST(Subprocess, outlives_the_thread_that_started_it) {
  std::optional<Subprocess> child;
  std::thread([&] { child = Subprocess::spawn(hostile("hang"), full_support()).value(); }).join();
  EXPECT_EQ(child->wait({}, in(50ms)).error().code(), ErrorCode::deadline_exceeded);
}

TEST(Subprocess, survives_being_moved) {
  auto first = Subprocess::spawn(hostile("exit", "1"), full_support()).value();
  auto second = Subprocess::spawn(hostile("hang"), full_support()).value();
  second = std::move(first);
  EXPECT_EQ(second.wait({}, in(1min)).value(), ExitStatus(Exited{1}));
}

TEST(Subprocess, leaks_no_descriptor) {
  (void)testkit::run(hostile("exit", "0"));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 5; ++i) {
    (void)testkit::run(hostile("exit", "0"));
    (void)testkit::run(without_jail(hostile("segfault")));
    Command missing = hostile("exit", "0");
    missing.argv[0] = "/nonexistent/program";
    EXPECT_FALSE(Subprocess::spawn(missing, full_support()));
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Subprocess, can_be_started_by_many_threads_at_once) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        auto child = Subprocess::spawn(hostile("exit", std::to_string(t)), full_support());
        ASSERT_TRUE(child) << child.error().message();
        EXPECT_EQ(child->wait({}, in(30s)).value(), ExitStatus(Exited{t}));
      }
    });
  }
}

TEST(Subprocess, without_a_jail_is_killed_past_its_memory_limit) {
  ASSAY_NEEDS(cgroup_memory);
  Command command = without_jail(hostile("eat_memory", "400"));
  command.memory_bytes = std::uint64_t{200} << 20U;
  EXPECT_EQ(testkit::run(command).status, ExitStatus(OverMemory{std::uint64_t{200} << 20U}));
  command.argv[3] = "10";
  EXPECT_EQ(testkit::run(command).status, ExitStatus(Exited{0}));
}

}  // namespace
}  // namespace assay::process
