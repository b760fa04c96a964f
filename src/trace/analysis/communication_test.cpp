#include "trace/analysis/communication.hpp"

#include <gtest/gtest.h>

#include "trace/analysis/op_class.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

Communication of(const NsysFixture& fixture) {
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  return communication(trace, classify_functions(trace, OpClassifier()));
}

TEST(Communication, is_exposed_where_nothing_else_runs) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 100, .name = "gemm", .stream = 7});
  fixture.kernel({.start = 60, .end = 160, .name = "ncclDevKernel_AllReduce_Sum_f32", .stream = 8});
  fixture.kernel({.start = 150, .end = 200, .name = "gemm", .stream = 7});
  const Communication found = of(fixture);
  ASSERT_EQ(found.devices.size(), 1U);
  EXPECT_EQ(found.devices[0].busy, 100);
  EXPECT_EQ(found.devices[0].compute, 150);
  EXPECT_EQ(found.devices[0].overlap, 50);
  EXPECT_EQ(found.devices[0].exposed(), 50);
}

TEST(Communication, sums_collectives_by_operation_and_device) {
  NsysFixture fixture;
  for (int device = 0; device < 2; ++device) {
    fixture.kernel(
        {.start = 0, .end = 10, .name = "ncclDevKernel_AllReduce_Sum_f32", .device = device});
    fixture.kernel(
        {.start = 20, .end = 50, .name = "ncclDevKernel_AllGather_RING", .device = device});
    fixture.kernel(
        {.start = 60, .end = 80, .name = "ncclDevKernel_AllReduce_Sum_bf16", .device = device});
  }
  const Communication found = of(fixture);
  ASSERT_EQ(found.collectives.size(), 4U);
  EXPECT_EQ(found.collectives[0].name, "AllGather");
  EXPECT_EQ(found.collectives[1].name, "AllReduce");
  EXPECT_EQ(found.collectives[1].count, 2U);
  EXPECT_EQ(found.collectives[1].total, 30);
  EXPECT_EQ(found.collectives[1].hidden, 0);
}

TEST(Communication, of_a_program_without_any_is_nothing) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 100, .name = "gemm"});
  const Communication found = of(fixture);
  EXPECT_TRUE(found.collectives.empty());
  EXPECT_EQ(found.devices.at(0).busy, 0);
}

TEST(CollectiveName, is_the_operation_or_else_the_kernel) {
  EXPECT_EQ(collective_name("ncclKernel_ReduceScatter_RING_LL"), "ReduceScatter");
  EXPECT_EQ(collective_name("ncclDevKernel_SendRecv(Storage<4096>)"), "SendRecv");
  EXPECT_EQ(collective_name("my_allgatherish(int)"), "my_allgatherish");
}

}  // namespace
}  // namespace assay::trace
