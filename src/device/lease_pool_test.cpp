#include "device/lease_pool.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "model/ids.hpp"

namespace assay::device {
namespace {

using std::chrono::seconds;

const DeviceId kCpu{"cpu"};
const DeviceId kGpu{"cuda:0"};

/// An acquire with it gives up at once where the device is not free.
std::stop_token stopped() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

class LeasePoolTest : public testing::Test {
 protected:
  void until_waiting(std::size_t count) {
    while (pool_.uses().front().waiting < count) std::this_thread::yield();
  }
  ManualClock clock_;
  LeasePool pool_{{kCpu, kGpu}, clock_};
};

TEST_F(LeasePoolTest, gives_the_device_back_when_the_lease_is_destroyed) {
  {
    const auto lease = pool_.acquire(kCpu, 0, {}).value();
    EXPECT_EQ(pool_.acquire(kCpu, 0, stopped()).error().code(), ErrorCode::cancelled);
    EXPECT_TRUE(pool_.acquire(kGpu, 0, stopped())) << "devices are apart";
  }
  EXPECT_TRUE(pool_.acquire(kCpu, 0, stopped()));
}

TEST_F(LeasePoolTest, device_that_is_not_here_is_not_found) {
  const DeviceId nowhere{"cuda:9"};
  EXPECT_EQ(pool_.acquire(nowhere, 0, {}).error().code(), ErrorCode::not_found);
  EXPECT_EQ(pool_.take_out(nowhere, "x").error().code(), ErrorCode::not_found);
  EXPECT_EQ(pool_.put_back(nowhere).error().code(), ErrorCode::not_found);
}

TEST_F(LeasePoolTest, wait_ends_with_cancelled_when_stopped) {
  const auto held = pool_.acquire(kCpu, 0, {}).value();
  std::stop_source stop;
  std::optional<ErrorCode> code;
  {
    const std::jthread waiter(
        [&] { code = pool_.acquire(kCpu, 0, stop.get_token()).error().code(); });
    until_waiting(1);
    stop.request_stop();
  }
  EXPECT_EQ(code, ErrorCode::cancelled);
  EXPECT_EQ(pool_.uses().front().waiting, 0U);
}

TEST_F(LeasePoolTest, moving_a_lease_does_not_release_the_device) {
  auto lease = pool_.acquire(kCpu, 0, {}).value();
  const auto moved = std::move(lease);
  EXPECT_FALSE(pool_.acquire(kCpu, 0, stopped()));
}

TEST_F(LeasePoolTest, serves_higher_priorities_first_and_equal_ones_in_order) {
  Mutex mutex;
  std::vector<int> served;
  std::vector<std::jthread> waiters;
  {
    const auto held = pool_.acquire(kCpu, 0, {}).value();
    const std::vector<std::pair<int, int>> arrivals = {{1, 0}, {2, 0}, {3, 5}, {4, 0}, {5, 5}};
    for (const auto& [name, priority] : arrivals) {
      waiters.emplace_back([&, name = name, priority = priority] {
        const auto lease = pool_.acquire(kCpu, priority, {}).value();
        const MutexLock lock(mutex);
        served.push_back(name);
      });
      until_waiting(waiters.size());
    }
  }
  waiters.clear();
  EXPECT_EQ(served, (std::vector<int>{3, 5, 1, 2, 4}));
}

TEST_F(LeasePoolTest, device_out_of_service_is_given_to_nobody_until_it_is_back) {
  ASSERT_TRUE(pool_.take_out(kCpu, "too hot"));
  EXPECT_EQ(pool_.acquire(kCpu, 0, {}).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(pool_.uses().front().out_of_service, "too hot");
  ASSERT_TRUE(pool_.put_back(kCpu));
  EXPECT_TRUE(pool_.acquire(kCpu, 0, {}));
  EXPECT_EQ(pool_.uses().front().out_of_service, std::nullopt);
}

TEST_F(LeasePoolTest, who_waits_for_a_device_that_goes_out_of_service_is_told) {
  const auto held = pool_.acquire(kCpu, 0, {}).value();
  std::optional<ErrorCode> code;
  std::jthread waiter([&] { code = pool_.acquire(kCpu, 0, {}).error().code(); });
  until_waiting(1);
  ASSERT_TRUE(pool_.take_out(kCpu, "too hot"));
  waiter.join();
  EXPECT_EQ(code, ErrorCode::unavailable);
}

TEST_F(LeasePoolTest, counts_leases_and_the_time_they_were_held) {
  {
    const auto lease = pool_.acquire(kCpu, 0, {}).value();
    clock_.advance(seconds(3));
  }
  const auto lease = pool_.acquire(kCpu, 0, {}).value();
  clock_.advance(seconds(2));
  const DeviceUse use = pool_.uses().front();
  EXPECT_EQ(use.leases, 2U);
  EXPECT_EQ(use.busy, seconds(5));
  EXPECT_TRUE(use.held);
  EXPECT_EQ(pool_.waits().count, 2U);
  EXPECT_EQ(pool_.waits().longest, seconds(0));
}

}  // namespace
}  // namespace assay::device
