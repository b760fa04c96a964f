#include "trace/analysis/gaps.hpp"

#include <cstdint>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "trace/analysis/api_class.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Two kernels with a gap from 100 to 200; the second launched by a call from `launch` on.
NsysFixture& two_kernels(NsysFixture& fixture, std::int64_t launch, std::int64_t until) {
  fixture.launch({.call_start = 0, .call_end = 5, .start = 10, .end = 100, .name = "a"});
  return fixture.launch(
      {.call_start = launch, .call_end = until, .start = 200, .end = 300, .name = "b"});
}

Gap only_gap(const NsysFixture& fixture) {
  const GapReport report = find_gaps(read_fixture(fixture));
  EXPECT_EQ(report.longest.size(), 1U);
  return report.longest.at(0);
}

TEST(Gaps, lie_between_pieces_of_work_of_one_device) {
  NsysFixture fixture;
  const Gap gap = only_gap(two_kernels(fixture, 190, 195));
  EXPECT_EQ(gap.start, 100);
  EXPECT_EQ(gap.end, 200);
}

TEST(Gaps, a_thread_outside_cuda_is_elsewhere) {
  NsysFixture fixture;
  const Gap gap = only_gap(two_kernels(fixture, 190, 195));
  EXPECT_EQ(gap.cause, GapCause::host_elsewhere);
  EXPECT_EQ(gap.call, kNone);
}

TEST(Gaps, a_thread_in_mpi_waits_for_other_ranks) {
  NsysFixture fixture;
  two_kernels(fixture, 190, 195)
      .domain(3, "MPI")
      .range({.start = 105, .end = 185, .name = "MPI_Allreduce", .domain = 3});
  EXPECT_EQ(only_gap(fixture).cause, GapCause::host_in_mpi);
  NsysFixture brief;
  two_kernels(brief, 190, 195)
      .domain(3, "MPI")
      .range({.start = 105, .end = 115, .name = "MPI_Barrier", .domain = 3});
  EXPECT_EQ(only_gap(brief).cause, GapCause::host_elsewhere);
}

TEST(Gaps, a_thread_in_a_synchronising_call_waits) {
  NsysFixture fixture;
  two_kernels(fixture, 190, 195)
      .call({.start = 20, .end = 170, .name = "cudaDeviceSynchronize_v3020"});
  const Trace trace = read_fixture(fixture);
  const Gap gap = find_gaps(trace).longest.at(0);
  EXPECT_EQ(gap.cause, GapCause::host_waiting);
  EXPECT_EQ(trace.strings.view(trace.calls.name[gap.call]), "cudaDeviceSynchronize");
}

TEST(Gaps, a_thread_that_allocates_is_allocating) {
  NsysFixture fixture;
  two_kernels(fixture, 190, 195).call({.start = 110, .end = 180, .name = "cudaMalloc_v3020"});
  EXPECT_EQ(only_gap(fixture).cause, GapCause::allocating);
}

TEST(Gaps, another_call_is_another_call) {
  NsysFixture fixture;
  two_kernels(fixture, 190, 195).call({.start = 110, .end = 180, .name = "cuModuleLoadData"});
  EXPECT_EQ(only_gap(fixture).cause, GapCause::other_api_call);
}

TEST(Gaps, calls_of_other_threads_do_not_count) {
  NsysFixture fixture;
  two_kernels(fixture, 190, 195)
      .call({.start = 110, .end = 180, .name = "cudaDeviceSynchronize_v3020", .tid = 999});
  EXPECT_EQ(only_gap(fixture).cause, GapCause::host_elsewhere);
}

TEST(Gaps, a_launch_under_way_is_launching) {
  NsysFixture fixture;
  EXPECT_EQ(only_gap(two_kernels(fixture, 110, 195)).cause, GapCause::launching);
}

TEST(Gaps, work_launched_before_the_gap_was_queued) {
  NsysFixture fixture;
  EXPECT_EQ(only_gap(two_kernels(fixture, 20, 25)).cause, GapCause::queued);
}

TEST(Gaps, work_without_a_call_tells_no_cause) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 10, .name = "a"})
      .kernel({.start = 50, .end = 60, .name = "b"});
  EXPECT_EQ(only_gap(fixture).cause, GapCause::not_recorded);
}

TEST(Gaps, keep_the_longest_and_count_all) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 10; ++i) {
    fixture.kernel({.start = i * 100, .end = i * 100 + 50 + i, .name = "k"});
  }
  const GapReport report = find_gaps(read_fixture(fixture), 3);
  EXPECT_EQ(report.devices.at(0).all.count, 9U);
  ASSERT_EQ(report.longest.size(), 3U);
  EXPECT_EQ(report.longest[0].duration(), 50);
  EXPECT_EQ(report.longest[2].duration(), 48);
}

TEST(Gaps, add_up_to_the_idle_time) {
  NsysFixture fixture;
  add_demo(fixture);
  const Trace trace = read_fixture(fixture);
  const GapReport report = find_gaps(trace);
  const auto devices = device_busy(trace);
  ASSERT_EQ(report.devices.size(), devices.size());
  std::int64_t by_cause = 0;
  for (const CauseTotal& total : report.devices[0].by_cause) by_cause += total.total;
  EXPECT_EQ(report.devices[0].all.total, devices[0].idle());
  EXPECT_EQ(by_cause, devices[0].idle());
}

TEST(Gaps, the_table_names_the_range_and_the_work_around) {
  NsysFixture fixture;
  two_kernels(fixture, 190, 195).range({.start = 110, .end = 400, .name = "step"});
  const Trace trace = read_fixture(fixture);
  const Table table = gap_table(trace, find_gaps(trace));
  EXPECT_EQ(*table.find(0, "range"), Cell("step"));
  EXPECT_EQ(*table.find(0, "before"), Cell("kernel a"));
  EXPECT_EQ(*table.find(0, "after"), Cell("kernel b"));
}

TEST(Gaps, name_the_range_that_held_the_host_not_the_one_that_launched_next) {
  NsysFixture fixture;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = step * 100'000;
    fixture.range({.start = at, .end = at + 99'000, .name = fmt::format("step {}", step)});
    fixture.range({.start = at + 1'000, .end = at + 60'000, .name = "next(loader)"});
    fixture.range({.start = at + 60'500, .end = at + 80'000, .name = "forward"});
    fixture.launch({.call_start = at + 61'000,
                    .call_end = at + 62'000,
                    .start = at + 63'000,
                    .end = at + 98'000,
                    .name = "k"});
  }
  const Trace trace = read_fixture(fixture);
  const GapReport report = find_gaps(trace);
  EXPECT_EQ(*gap_table(trace, report).find(0, "range"), Cell("next(loader)"));
  EXPECT_EQ(outside_in(report.devices.at(0)), ", 100% of that in 'next(loader)'");
}

TEST(ApiClass, tells_copies_that_wait_from_those_that_do_not) {
  EXPECT_EQ(api_class("cudaMemcpy"), ApiClass::synchronise);
  EXPECT_EQ(api_class("cudaMemcpyAsync"), ApiClass::copy);
  EXPECT_EQ(api_class("cuMemcpyHtoDAsync_v2"), ApiClass::copy);
  EXPECT_EQ(api_class("cudaLaunchKernelExC_v11060"), ApiClass::launch);
  EXPECT_EQ(api_class("cudaGraphLaunch"), ApiClass::graph_launch);
  EXPECT_EQ(api_class("cudaMallocAsync"), ApiClass::allocate);
  EXPECT_EQ(api_class("cudaGetDevice"), ApiClass::other);
}

TEST(ApiClass, knows_what_calls_of_amd_do) {
  EXPECT_EQ(api_class("hipExtModuleLaunchKernel"), ApiClass::launch);
  EXPECT_EQ(api_class("hipDeviceSynchronize"), ApiClass::synchronise);
  EXPECT_EQ(api_class("hipMemcpyWithStream"), ApiClass::synchronise);
  EXPECT_EQ(api_class("hipMemcpyAsync"), ApiClass::copy);
  EXPECT_EQ(api_class("hipMalloc"), ApiClass::allocate);
}

}  // namespace
}  // namespace assay::trace
