#include "process/wait_ready.hpp"

#include <chrono>
#include <stop_token>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

using namespace std::chrono_literals;
using testkit::in;

TEST(WaitReady, returns_when_the_descriptor_is_readable) {
  const UniqueFd event(::eventfd(1, EFD_CLOEXEC));
  EXPECT_TRUE(wait_ready(event.get(), POLLIN, in(10s)));
}

TEST(WaitReady, prefers_a_ready_descriptor_to_a_passed_deadline_and_a_stop) {
  const UniqueFd event(::eventfd(1, EFD_CLOEXEC));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(wait_ready(event.get(), POLLIN, in(0s), stop.get_token()));
}

TEST(WaitReady, ends_at_the_deadline) {
  const UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  EXPECT_EQ(wait_ready(event.get(), POLLIN, in(1ms)).error().code(), ErrorCode::deadline_exceeded);
}

TEST(WaitReady, ends_with_cancelled_when_stop_was_requested_before) {
  const UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(wait_ready(event.get(), POLLIN, in(1min), stop.get_token()).error().code(),
            ErrorCode::cancelled);
}

}  // namespace
}  // namespace assay::process
