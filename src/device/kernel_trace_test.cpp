#include "device/kernel_trace.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cupti.hpp"
#include "device/cupti_api.hpp"
#include "device/kernel_times.hpp"
#include "device/testkit/fake_cupti.hpp"

namespace assay::device {
namespace {

using std::chrono::nanoseconds;

class KernelTraceTest : public testing::Test {
 protected:
  [[nodiscard]] std::uint64_t now() const {
    std::uint64_t time = 0;
    table_.timestamp(&time);
    return time;
  }
  /// A call that launches one kernel of that length.
  void call(KernelTrace& trace, std::uint64_t length) {
    trace.begin_call();
    launch("work", length);
    trace.end_call();
  }
  void launch(const char* name, std::uint64_t length, bool from_other_thread = false) {
    const std::uint64_t start = now();
    fake_.launch(name, start, start + length, from_other_thread);
  }
  void expect_all_undone() const {
    EXPECT_FALSE(fake_.subscribed);
    EXPECT_TRUE(fake_.enabled.empty());
    EXPECT_TRUE(fake_.marks.empty());
  }

  FakeCupti fake_;
  Cupti table_ = FakeCupti::table();
};

TEST_F(KernelTraceTest, tells_calls_apart_from_each_other_and_from_what_lies_between) {
  auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace) << trace.error().message();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    launch("flush", 1'000);
    call(*trace, 100 * i);
  }
  const auto times = kernel_times(trace->stop());
  ASSERT_TRUE(times) << times.error().message();
  ASSERT_EQ(times->calls.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(times->calls[i].busy, nanoseconds(100 * (i + 1)));
    EXPECT_EQ(times->calls[i].launches, 1U);
  }
  ASSERT_EQ(times->kernels.size(), 1U);
  EXPECT_EQ(times->kernels[0].launches, 3U);
  expect_all_undone();
}

TEST_F(KernelTraceTest, records_calls_of_driver_and_runtime) {
  const auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace);
  EXPECT_EQ(std::ranges::count(fake_.enabled, cupti::Kind::driver_call), 1);
  EXPECT_EQ(std::ranges::count(fake_.enabled, cupti::Kind::runtime_call), 1);
}

TEST_F(KernelTraceTest, fills_as_many_buffers_as_the_calls_need) {
  auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace);
  for (int i = 0; i < 3'000; ++i) call(*trace, 10);  // more than two buffers' worth of records
  const auto times = kernel_times(trace->stop());
  ASSERT_TRUE(times) << times.error().message();
  EXPECT_EQ(times->calls.size(), 3'000U);
  EXPECT_EQ(times->calls.back().busy, nanoseconds(10));
}

TEST_F(KernelTraceTest, says_who_has_cupti) {
  fake_.other_profiler = "CUPTI for PyTorch Profiler";
  const auto trace = KernelTrace::start(table_);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code(), ErrorCode::conflict);
  EXPECT_EQ(trace.error().message(),
            "CUPTI serves one profiler in a process, and another has it (CUPTI for PyTorch "
            "Profiler)");
  EXPECT_TRUE(fake_.enabled.empty());
}

TEST_F(KernelTraceTest, older_versions_do_not_tell_who_has_cupti) {
  fake_.other_profiler = "somebody";
  table_.subscribe_named = nullptr;
  const auto trace = KernelTrace::start(table_);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code(), ErrorCode::conflict);
  EXPECT_EQ(trace.error().message(), "CUPTI serves one profiler in a process, and another has it");
}

TEST_F(KernelTraceTest, gives_cupti_back_when_it_ends) {
  {
    const auto dropped_without_stop = KernelTrace::start(table_);
  }
  expect_all_undone();
  EXPECT_TRUE(KernelTrace::start(table_));
}

TEST_F(KernelTraceTest, a_start_that_fails_half_way_leaves_nothing_enabled) {
  fake_.refused_kind = cupti::Kind::memset;
  const auto trace = KernelTrace::start(table_);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(trace.error().message(), "cuptiActivityEnable of kind 2: CUPTI_ERROR_FAKE");
  expect_all_undone();
}

TEST_F(KernelTraceTest, a_clock_that_somebody_changed_is_refused) {
  fake_.clock_error = 3'600'000'000'000;
  const auto trace = KernelTrace::start(table_);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code(), ErrorCode::conflict);
  EXPECT_NE(trace.error().message().find("clock"), std::string::npos);
  expect_all_undone();
}

TEST_F(KernelTraceTest, drops_are_counted_by_cupti_and_by_us) {
  fake_.dropped = 1'000;  // of somebody before us
  auto trace = KernelTrace::start(table_, {.max_buffers = 1});
  ASSERT_TRUE(trace);
  for (int i = 0; i < 3'000; ++i) call(*trace, 10);
  const KernelRecording recording = trace->stop();
  EXPECT_GT(recording.losses.dropped, 1'000U);
  EXPECT_LT(recording.losses.dropped, 3'000U);
  EXPECT_EQ(recording.losses.refused, 1U);
  EXPECT_FALSE(kernel_times(recording));
}

TEST_F(KernelTraceTest, buffers_that_another_profiler_took_are_missed) {
  auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace);
  call(*trace, 10);
  fake_.keeps_buffers = true;
  const KernelRecording recording = trace->stop();
  EXPECT_EQ(recording.losses.not_returned, 1U);
  EXPECT_FALSE(kernel_times(recording));
}

TEST_F(KernelTraceTest, a_call_that_takes_our_mark_away_is_found_out) {
  auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace);
  trace->begin_call();
  fake_.marks.back() = 77;
  trace->end_call();
  trace->begin_call();
  fake_.marks.clear();
  trace->end_call();
  EXPECT_EQ(trace->stop().losses.misplaced_marks, 3U);  // the last is the mark between calls
}

TEST_F(KernelTraceTest, launches_of_other_threads_are_given_to_the_call) {
  auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace);
  call(*trace, 10);
  trace->begin_call();
  launch("backward", 70, /*from_other_thread=*/true);
  trace->end_call();
  const auto times = kernel_times(trace->stop());
  ASSERT_TRUE(times) << times.error().message();
  EXPECT_EQ(times->calls[1].busy, nanoseconds(70));
  EXPECT_EQ(times->launches_of_other_threads, 1U);
}

TEST_F(KernelTraceTest, a_call_that_was_never_ended_ends_with_the_next_or_the_trace) {
  auto trace = KernelTrace::start(table_);
  ASSERT_TRUE(trace);
  trace->begin_call();
  launch("first", 10);
  trace->begin_call();
  launch("second", 20);
  const auto times = kernel_times(trace->stop());
  ASSERT_TRUE(times) << times.error().message();
  ASSERT_EQ(times->calls.size(), 2U);
  EXPECT_EQ(times->calls[0].busy, nanoseconds(10));
  EXPECT_EQ(times->calls[1].busy, nanoseconds(20));
}

}  // namespace
}  // namespace assay::device
