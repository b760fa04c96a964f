#include "process/pause.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/os.hpp"
#include "process/exit_status.hpp"
#include "process/subprocess.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

using namespace std::chrono_literals;
using testkit::full_support;
using testkit::hostile;
using testkit::in;
using testkit::kLifeLineNumber;
using testkit::LifeLine;

Subprocess start(const LifeLine& line, std::string_view behaviour) {
  Command command = hostile(behaviour);
  command.descriptors.emplace_back(line.end(), kLifeLineNumber);
  return Subprocess::spawn(command, full_support()).value();
}

pid_t program_of(const Subprocess& process) {
  const auto children = read_file(fmt::format("/proc/{0}/task/{0}/children", process.pid()));
  return children ? std::atoi(children->c_str()) : 0;
}

std::chrono::nanoseconds cpu_time(pid_t process) {
  clockid_t clock{};
  timespec used{};
  EXPECT_EQ(::clock_getcpuclockid(process, &clock), 0);
  EXPECT_EQ(::clock_gettime(clock, &used), 0);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

bool computes(pid_t process, std::chrono::nanoseconds patience) {
  const auto before = cpu_time(process);
  for (auto waited = 0ns; waited < patience; waited += 10ms) {
    std::this_thread::sleep_for(10ms);
    if (cpu_time(process) > before) return true;
  }
  return false;
}

TEST(Pause, stops_a_program_that_computes_until_it_is_resumed) {
  LifeLine line;
  const Subprocess process = start(line, "loop");
  const pid_t program = program_of(process);
  ASSERT_GT(program, 0);
  EXPECT_TRUE(computes(program, 10s));
  ASSERT_TRUE(pause_below(process.pid()));
  EXPECT_FALSE(computes(program, 100ms));
  resume_below(process.pid());
  EXPECT_TRUE(computes(program, 10s));
}

TEST(Pause, twice_is_as_good_as_once) {
  LifeLine line;
  const Subprocess process = start(line, "loop");
  ASSERT_TRUE(pause_below(process.pid()));
  ASSERT_TRUE(pause_below(process.pid()));
  resume_below(process.pid());
  EXPECT_TRUE(computes(program_of(process), 10s));
}

TEST(Pause, catches_processes_that_start_each_other) {
  LifeLine line;
  Subprocess process = start(line, "run_a_relay");
  ASSERT_TRUE(pause_below(process.pid(), 20s));
  const auto runners = [&] {  // all that the program has left to init
    return read_file(fmt::format("/proc/{0}/task/{0}/children", process.pid())).value();
  };
  const std::string stopped = runners();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(runners(), stopped);
  process.kill();
  line.give_away();
  EXPECT_TRUE(line.cut(10s));
}

TEST(Pause, does_not_keep_what_is_killed_alive) {
  LifeLine line;
  Subprocess process = start(line, "leave_a_daemon_and_loop");
  ASSERT_TRUE(pause_below(process.pid()));
  line.give_away();
  EXPECT_FALSE(line.cut(0s));
  process.kill();
  EXPECT_EQ(process.wait({}, in(1min)).value(), ExitStatus(Signalled{SIGKILL}));
  EXPECT_TRUE(line.cut(10s));
}

TEST(Pause, leaves_nothing_behind_where_its_owner_goes_away) {
  LifeLine line;
  {
    const Subprocess process = start(line, "loop");
    ASSERT_TRUE(pause_below(process.pid()));
    line.give_away();
  }
  EXPECT_TRUE(line.cut(10s));
}

TEST(Pause, of_a_process_that_is_gone_is_fine) {
  LifeLine line;
  Subprocess process = start(line, "abort");
  ASSERT_TRUE(process.wait({}, in(1min)));
  EXPECT_TRUE(pause_below(process.pid()));
  resume_below(process.pid());
}

}  // namespace
}  // namespace assay::process
