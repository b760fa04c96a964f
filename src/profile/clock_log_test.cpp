#include "profile/clock_log.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace assay::profile {
namespace {

TEST(ClockLog, keeps_the_first_reading_and_how_far_the_clock_went) {
  std::atomic<unsigned> reads = 0;
  ClockLog log(
      [&] {
        constexpr unsigned kClocks[] = {1200, 1980, 900};
        const unsigned at = reads++;
        return std::vector<ClockReading>{{.device = "a GPU",
                                          .sm_mhz = kClocks[at < 3 ? at : 2],
                                          .sm_most_mhz = 1980,
                                          .memory_mhz = 3201}};
      },
      std::chrono::milliseconds(1));
  while (reads < 4) std::this_thread::yield();
  const auto found = log.finish();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].before.sm_mhz, 1200U);
  EXPECT_EQ(found[0].sm_least_mhz, 900U);
  EXPECT_EQ(found[0].sm_greatest_mhz, 1980U);
  EXPECT_EQ(found[0].before.memory_mhz, 3201U);
}

TEST(ClockLog, of_a_machine_without_gpus_is_empty_and_starts_nothing) {
  EXPECT_TRUE(ClockLog(nullptr).finish().empty());
  int reads = 0;
  ClockLog log([&] {
    ++reads;
    return std::vector<ClockReading>{};
  });
  EXPECT_TRUE(log.finish().empty());
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace assay::profile
