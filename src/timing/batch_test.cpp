#include "timing/batch.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/device_state.hpp"
#include "timing/usable.hpp"

namespace assay::timing {
namespace {

using std::chrono::microseconds;

Batch slowed(std::vector<double> times) {
  return make_batch(std::move(times), microseconds(1), DeviceState{.slowed_by = {"sw_power_cap"}});
}
Batch calm(std::vector<double> times) {
  return make_batch(std::move(times), microseconds(1), DeviceState{});
}

TEST(Batch, says_its_median_whatever_one_call_took) {
  EXPECT_DOUBLE_EQ(calm({5, 4, 900, 6, 5}).figure(), 5);
  EXPECT_DOUBLE_EQ(Batch{}.figure(), 0);
}

TEST(Batch, is_not_used_where_the_device_was_slowed_and_says_why) {
  const Batch batch = slowed({1, 2});
  EXPECT_FALSE(batch.used());
  EXPECT_EQ(batch.unused_because, "the device was slowed: sw_power_cap");
  EXPECT_TRUE(calm({1}).used());
  EXPECT_TRUE(make_batch({1}, microseconds(1)).used()) << "nothing is known of the device";
}

TEST(Batch, leaves_its_times_out_where_it_is_not_used) {
  const std::vector batches{calm({1, 2}), slowed({99}), calm({3})};
  EXPECT_EQ(used_samples(batches), (std::vector<double>{1, 2, 3}));
}

TEST(Batch, is_used_after_all_where_most_are_marked) {
  std::vector few{calm({1}), slowed({2}), slowed({3})};
  EXPECT_TRUE(use_all_if_most_are_marked(few));
  EXPECT_EQ(used_samples(few).size(), 3U);
  std::vector many{calm({1}), slowed({2})};
  EXPECT_FALSE(use_all_if_most_are_marked(many));
  EXPECT_EQ(used_samples(many).size(), 1U);
}

TEST(Batch, is_shown_without_its_samples) {
  const std::vector batches{slowed({1, 2, 3})};
  const auto shown = summaries_of(batches);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].samples, 3U);
  EXPECT_EQ(shown[0].median_ns, 2);
  EXPECT_EQ(shown[0].wall, microseconds(1));
  EXPECT_EQ(shown[0].unused_because, batches[0].unused_because);
  EXPECT_EQ(shown[0].state->slowed_by.size(), 1U);
}

TEST(DeviceState, is_the_worse_of_both_ends_of_a_batch) {
  const DeviceState before{.sm_clock_mhz = 1980, .power_watts = 200, .slowed_by = {"hw_slowdown"}};
  const DeviceState after{.sm_clock_mhz = 1700,
                          .temperature_celsius = 60,
                          .power_watts = 300,
                          .slowed_by = {"hw_slowdown", "sw_power_cap"},
                          .processes = 1};
  const DeviceState worse = worse_of(before, after);
  EXPECT_EQ(worse.sm_clock_mhz, 1700U);
  EXPECT_EQ(worse.temperature_celsius, 60U);
  EXPECT_EQ(worse.power_watts, 300);
  EXPECT_EQ(worse.slowed_by, (std::vector<std::string>{"hw_slowdown", "sw_power_cap"}));
  EXPECT_EQ(worse.processes, 1U);
  EXPECT_FALSE(worse.memory_clock_mhz);
}

TEST(DeviceState, with_many_processes_may_be_used) {
  EXPECT_FALSE(reason_not_to_use({.processes = 3}));
}

}  // namespace
}  // namespace assay::timing
