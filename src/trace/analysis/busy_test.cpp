#include "trace/analysis/busy.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

TEST(DeviceBusy, counts_what_overlaps_once) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 10, .name = "a", .stream = 1});
  fixture.kernel({.start = 5, .end = 20, .name = "b", .stream = 2});
  fixture.kernel({.start = 6, .end = 8, .name = "c", .stream = 3});
  fixture.copy({.start = 15, .end = 30, .bytes = 1});
  fixture.fill({.start = 50, .end = 60, .bytes = 1});
  const auto devices = device_busy(read_fixture(fixture));
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].kernel_sum, 27);
  EXPECT_EQ(devices[0].kernel_busy, 20);
  EXPECT_EQ(devices[0].memory_busy, 25);
  EXPECT_EQ(devices[0].kernel_memory_overlap, 5);
  EXPECT_EQ(devices[0].busy, 40);
  EXPECT_EQ(devices[0].span, 60);
  EXPECT_EQ(devices[0].idle(), 20);
}

TEST(DeviceBusy, keeps_devices_apart) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 10, .name = "a", .device = 0});
  fixture.kernel({.start = 5, .end = 20, .name = "a", .device = 3});
  const auto devices = device_busy(read_fixture(fixture));
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1].device, 3);
  EXPECT_EQ(devices[1].busy, 15);
}

TEST(DeviceBusy, a_graph_traced_whole_is_busy_time) {
  NsysFixture fixture;
  fixture.graph(10, 90, 1, 5);
  const auto devices = device_busy(read_fixture(fixture));
  EXPECT_EQ(devices[0].busy, 80);
  EXPECT_EQ(devices[0].graph_busy, 80);
  EXPECT_EQ(devices[0].kernel_busy, 0);
}

TEST(DeviceBusy, of_nothing_is_no_device) {
  EXPECT_TRUE(device_busy(read_fixture(NsysFixture())).empty());
}

TEST(Concurrency, is_the_time_at_each_number_of_kernels) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 10, .name = "a", .stream = 1});
  fixture.kernel({.start = 5, .end = 20, .name = "b", .stream = 2});
  fixture.kernel({.start = 30, .end = 40, .name = "c"});
  const auto devices = device_busy(read_fixture(fixture));
  EXPECT_EQ(devices[0].at_concurrency[0], 10);
  EXPECT_EQ(devices[0].at_concurrency[1], 25);
  EXPECT_EQ(devices[0].at_concurrency[2], 5);
  EXPECT_EQ(devices[0].peak_concurrency, 2U);
  EXPECT_EQ(concurrency_table(devices).rows.size(), 3U);
}

TEST(Concurrency, a_kernel_that_starts_as_another_ends_is_not_beside_it) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 10, .name = "a"});
  fixture.kernel({.start = 10, .end = 20, .name = "b"});
  EXPECT_EQ(device_busy(read_fixture(fixture))[0].peak_concurrency, 1U);
}

}  // namespace
}  // namespace assay::trace
