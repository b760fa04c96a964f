// What must hold of any profile, tried on profiles made at random.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/analysis/attribution.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/communication.hpp"
#include "trace/analysis/gaps.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// A program of several threads, streams and devices that does anything, the same for a seed.
Trace random_trace(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(limit));
  };
  const std::vector<std::string> names = {"sgemm", "softmax_warp", "ncclDevKernel_AllReduce", "foo",
                                          "reduce_kernel"};
  NsysFixture fixture;
  for (int i = 0; i < 150; ++i) {
    const std::int64_t call = below(10'000);
    fixture.launch({.call_start = call,
                    .call_end = call + below(50),
                    .start = call + below(500),
                    .end = call + 500 + below(700),
                    .name = names[static_cast<std::size_t>(below(5))],
                    .device = below(2),
                    .stream = below(3),
                    .tid = 100U + static_cast<std::uint64_t>(below(3))});
  }
  for (int i = 0; i < 40; ++i) {
    const std::int64_t start = below(9000);
    fixture.copy(
        {.start = start, .end = start + below(300), .bytes = below(5000), .device = below(2)});
    fixture.range({.start = start,
                   .end = start + below(3000),
                   .name = "r" + std::to_string(below(6)),
                   .tid = 100U + static_cast<std::uint64_t>(below(3)),
                   .type = below(2) == 0 ? 59 : 60});
  }
  return read_nsys_sqlite(fixture.image()).value();
}

class AnyProfile : public testing::TestWithParam<std::uint32_t> {
 protected:
  Trace trace_ = random_trace(GetParam());
};

TEST_P(AnyProfile, shares_of_kernels_add_up_to_all_of_them) {
  const Table table = kernel_table(kernel_sums(trace_, KernelNaming::demangled), OpClassifier());
  double total = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    total += table.find(row, "time_pct")->number().value();
  }
  EXPECT_NEAR(total, 100, 0.05 * static_cast<double>(table.rows.size()) + 1e-9);
}

TEST_P(AnyProfile, classes_hold_every_kernel_once) {
  const auto sums = kernel_sums(trace_, KernelNaming::demangled);
  std::int64_t total = 0;
  std::uint64_t count = 0;
  for (const ClassSum& sum : class_sums(sums, OpClassifier())) {
    total += sum.total;
    count += sum.count;
  }
  EXPECT_EQ(total, total_of(sums));
  EXPECT_EQ(count, trace_.kernels.size());
}

TEST_P(AnyProfile, a_union_is_no_longer_than_the_sum_and_no_longer_than_the_span) {
  for (const DeviceBusy& device : device_busy(trace_)) {
    EXPECT_LE(device.kernel_busy, device.kernel_sum);
    EXPECT_LE(device.busy, device.kernel_busy + device.memory_busy + device.graph_busy);
    EXPECT_GE(device.busy, std::max(device.kernel_busy, device.memory_busy));
    EXPECT_LE(device.busy, device.span);
    EXPECT_GE(device.kernel_memory_overlap, 0);
    std::int64_t at_levels = 0;
    std::int64_t weighted = 0;
    for (std::size_t n = 0; n < device.at_concurrency.size(); ++n) {
      at_levels += device.at_concurrency[n];
      weighted += static_cast<std::int64_t>(n) * device.at_concurrency[n];
    }
    EXPECT_EQ(at_levels - device.at_concurrency[0], device.kernel_busy);
    if (device.peak_concurrency < device.at_concurrency.size()) {
      EXPECT_EQ(weighted, device.kernel_sum);
    }
  }
}

TEST_P(AnyProfile, gaps_are_the_idle_time) {
  const auto devices = device_busy(trace_);
  const GapReport gaps = find_gaps(trace_);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(gaps.devices[i].all.total, devices[i].idle());
  }
}

TEST_P(AnyProfile, communication_is_hidden_or_exposed_and_nothing_else) {
  for (const DeviceCommunication& device :
       communication(trace_, classify_functions(trace_, OpClassifier())).devices) {
    EXPECT_GE(device.exposed(), 0);
    EXPECT_LE(device.overlap, std::min(device.busy, device.compute));
  }
}

TEST_P(AnyProfile, a_kernel_is_placed_exactly_where_its_call_lies) {
  const Attribution found = attribute(trace_);
  for (std::size_t row = 0; row < trace_.kernels.size(); ++row) {
    const std::uint32_t call = trace_.kernels.call[row];
    std::vector<std::uint32_t> expected;
    for (std::uint32_t range = 0; range < trace_.ranges.size(); ++range) {
      if (trace_.ranges.thread[range] == trace_.calls.thread[call] &&
          trace_.ranges.start[range] <= trace_.calls.start[call] &&
          trace_.ranges.end[range] >= trace_.calls.end[call]) {
        expected.push_back(range);
      }
    }
    const auto placed = found.same_thread.of_call(call);
    EXPECT_EQ(std::vector<std::uint32_t>(placed.begin(), placed.end()), expected);
    if (!expected.empty()) {
      EXPECT_TRUE(found.other_thread.of_call(call).empty());
    }
  }
}

TEST_P(AnyProfile, a_projected_range_is_busy_no_longer_than_it_lasts) {
  const Attribution found = attribute(trace_);
  const auto same = project(trace_, found, RangeRule::same_thread);
  const auto both = project(trace_, found, RangeRule::both);
  for (std::size_t row = 0; row < same.size(); ++row) {
    EXPECT_LE(same[row].busy, same[row].duration());
    EXPECT_LE(same[row].work, both[row].work);
    EXPECT_LE(same[row].busy, both[row].busy);
  }
}

TEST_P(AnyProfile, ranges_that_nest_are_projected_into_each_other) {
  const auto projected = project(trace_, attribute(trace_), RangeRule::same_thread);
  for (std::size_t outer = 0; outer < projected.size(); ++outer) {
    for (std::size_t inner = 0; inner < projected.size(); ++inner) {
      const bool nests = trace_.ranges.thread[outer] == trace_.ranges.thread[inner] &&
                         trace_.ranges.start[outer] <= trace_.ranges.start[inner] &&
                         trace_.ranges.end[outer] >= trace_.ranges.end[inner];
      if (!nests || projected[inner].work == 0) continue;
      EXPECT_LE(projected[outer].start, projected[inner].start);
      EXPECT_GE(projected[outer].end, projected[inner].end);
      EXPECT_GE(projected[outer].work, projected[inner].work);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Properties, AnyProfile,
                         testing::Range(std::uint32_t{1}, std::uint32_t{13}));

}  // namespace
}  // namespace assay::trace
