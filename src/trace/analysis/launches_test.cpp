#include "trace/analysis/launches.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"

namespace assay::trace {
namespace {

TEST(LaunchSums, split_the_way_from_the_call_to_the_kernel) {
  NsysFixture fixture;
  fixture.launch({.call_start = 0, .call_end = 4, .start = 10, .end = 30, .name = "k"});
  fixture.launch({.call_start = 40, .call_end = 46, .start = 44, .end = 54, .name = "k"});
  const auto sums = launch_sums(read_fixture(fixture));
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums[0].call.average, 5);
  EXPECT_EQ(sums[0].wait.greatest, 6);
  EXPECT_EQ(sums[0].wait.least, 0) << "the second started before its call returned";
  EXPECT_EQ(sums[0].delay.total, 14);
  EXPECT_EQ(sums[0].kernel.total, 30);
}

TEST(LaunchSums, count_the_call_of_a_graph_once) {
  NsysFixture fixture;
  fixture.call({.start = 0, .end = 10, .name = "cudaGraphLaunch_v10000", .correlation = 5});
  for (int i = 0; i < 3; ++i) {
    fixture.kernel({.start = 20 + i * 10,
                    .end = 25 + i * 10,
                    .name = "k",
                    .correlation = 5,
                    .graph_node = 7U + static_cast<std::uint64_t>(i)});
  }
  const auto sums = launch_sums(read_fixture(fixture));
  EXPECT_EQ(sums.at(0).kernel.count, 3U);
  EXPECT_EQ(sums.at(0).call.count, 1U);
  EXPECT_EQ(sums.at(0).call.total, 10);
}

TEST(LaunchSums, leave_out_kernels_without_a_call) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 5, .name = "k"});
  EXPECT_TRUE(launch_sums(read_fixture(fixture)).empty());
}

TEST(QueueDepths, count_what_is_launched_and_not_started) {
  NsysFixture fixture;
  fixture.launch({.call_start = 0, .call_end = 1, .start = 10, .end = 50, .name = "a"});
  fixture.launch({.call_start = 5, .call_end = 6, .start = 50, .end = 60, .name = "b"});
  const auto depths = queue_depths(read_fixture(fixture));
  ASSERT_EQ(depths.size(), 1U);
  EXPECT_EQ(depths[0].peak, 2U);
  EXPECT_EQ(depths[0].span, 50);
  EXPECT_EQ(depths[0].empty, 0);
  EXPECT_DOUBLE_EQ(depths[0].average, (5 * 1 + 5 * 2 + 40 * 1) / 50.0);
}

TEST(QueueDepths, know_when_the_queue_is_empty) {
  NsysFixture fixture;
  fixture.launch({.call_start = 0, .call_end = 1, .start = 10, .end = 20, .name = "a"});
  fixture.launch({.call_start = 90, .call_end = 91, .start = 100, .end = 110, .name = "b"});
  EXPECT_EQ(queue_depths(read_fixture(fixture)).at(0).empty, 80);
}

TEST(QueueDepths, a_kernel_that_seems_to_start_before_its_launch_does_no_harm) {
  NsysFixture fixture;
  fixture.launch({.call_start = 50, .call_end = 60, .start = 10, .end = 20, .name = "a"});
  EXPECT_EQ(queue_depths(read_fixture(fixture)).at(0).peak, 1U);
}

}  // namespace
}  // namespace assay::trace
