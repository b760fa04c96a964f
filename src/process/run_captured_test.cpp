#include "process/run_captured.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "process/exit_status.hpp"
#include "process/subprocess.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

using namespace std::chrono_literals;
using testkit::full_support;
using testkit::hostile;
using testkit::in;

TEST(RunCaptured, keeps_output_up_to_the_limit_and_counts_the_rest) {
  const auto run = run_captured(hostile("print", "2"), full_support(), in(1min), {}, 100).value();
  EXPECT_EQ(run.output, std::string(100, 'y'));
  EXPECT_EQ(run.dropped_bytes, (std::uint64_t{2} << 20U) - 100);
  EXPECT_EQ(run.status, ExitStatus(Exited{0}));
  EXPECT_GT(run.elapsed, 0ns);
  EXPECT_GT(run.peak_memory_bytes, 0U);
}

TEST(RunCaptured, keeps_what_was_printed_before_the_deadline) {
  const auto run =
      run_captured(hostile("leave_a_daemon_and_loop"), full_support(), in(1s), {}, 100).value();
  EXPECT_EQ(run.status, std::nullopt);
  EXPECT_EQ(run.output, "ready\n");
}

TEST(RunCaptured, ends_with_cancelled_when_stopped) {
  std::stop_source stop;
  const std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(
      run_captured(hostile("hang"), full_support(), in(1min), stop.get_token(), 100).error().code(),
      ErrorCode::cancelled);
}

TEST(RunCaptured, refuses_a_command_that_claims_the_output_for_itself) {
  Command command = hostile("exit", "0");
  command.descriptors = {{STDERR_FILENO, STDOUT_FILENO}};
  EXPECT_EQ(run_captured(command, full_support(), in(1min), {}, 100).error().code(),
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace assay::process
