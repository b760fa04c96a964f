#include "device/kernel_times.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/activity_records.hpp"
#include "device/cupti_api.hpp"
#include "device/testkit/fake_cupti.hpp"

namespace assay::device {
namespace {

using std::chrono::nanoseconds;

/// A trace of `calls` calls: call i is on the host from 100 i to 100 i + 50.
KernelRecording recording(RecordBuffer& buffer, std::uint32_t calls) {
  KernelRecording made;
  made.records.add(buffer.bytes(), FakeCupti::table().next_record);
  for (std::uint32_t i = 0; i < calls; ++i) {
    made.calls.push_back({.begin = TraceTime(100 * i), .end = TraceTime(100 * i + 50)});
  }
  made.traced = {.begin = TraceTime(0), .end = TraceTime(10'000)};
  return made;
}

std::string failure(const KernelRecording& made) {
  const auto times = kernel_times(made);
  if (times) return "no failure";
  EXPECT_EQ(times.error().code(), ErrorCode::data_loss);
  return times.error().message();
}

TEST(KernelTimes, busy_is_the_union_and_span_reaches_from_first_to_last) {
  RecordBuffer buffer;
  buffer.mark(1, 1);
  buffer.kernel("a", 1, 1'000, 1'100);
  buffer.kernel("b", 1, 1'050, 1'150);  // beside a, on another stream
  buffer.kernel("c", 1, 1'060, 1'070);  // within b
  buffer.memset(1, 1'200, 1'210);
  const auto times = kernel_times(recording(buffer, 1));
  ASSERT_TRUE(times) << times.error().message();
  ASSERT_EQ(times->calls.size(), 1U);
  EXPECT_EQ(times->calls[0].busy, nanoseconds(160));
  EXPECT_EQ(times->calls[0].span, nanoseconds(210));
  EXPECT_EQ(times->calls[0].launches, 4U);
}

TEST(KernelTimes, records_may_come_in_any_order) {
  RecordBuffer buffer;
  buffer.kernel("b", 2, 1'300, 1'400);
  buffer.kernel("a", 1, 1'000, 1'100);
  buffer.mark(2, 1);
  buffer.mark(1, 1);
  const auto times = kernel_times(recording(buffer, 1));
  ASSERT_TRUE(times) << times.error().message();
  EXPECT_EQ(times->calls[0].busy, nanoseconds(200));
  EXPECT_EQ(times->calls[0].span, nanoseconds(400));
}

TEST(KernelTimes, each_call_gets_what_it_launched_and_nothing_from_between) {
  RecordBuffer buffer;
  for (std::uint32_t call = 1; call <= 3; ++call) {
    const std::uint64_t start = std::uint64_t{1'000} * call;
    buffer.mark(10 * call, kMarkBetweenCalls);
    buffer.kernel("flush", 10 * call, start, start + 500);
    buffer.mark(10 * call + 1, call);
    buffer.kernel("work", 10 * call + 1, start + 500, start + 500 + std::uint64_t{10} * call);
  }
  const auto times = kernel_times(recording(buffer, 3));
  ASSERT_TRUE(times) << times.error().message();
  ASSERT_EQ(times->calls.size(), 3U);
  EXPECT_EQ(times->calls[0].busy, nanoseconds(10));
  EXPECT_EQ(times->calls[2].busy, nanoseconds(30));
  ASSERT_EQ(times->kernels.size(), 1U);
  EXPECT_EQ(times->kernels[0].name, "work");
}

TEST(KernelTimes, all_kernels_of_a_graph_belong_to_its_launch) {
  RecordBuffer buffer;
  buffer.mark(5, 1);
  buffer.call(cupti::Kind::driver_call, 5, 10);
  buffer.kernel("first", 5, 1'000, 1'100);
  buffer.kernel("second", 5, 1'100, 1'300);
  const auto times = kernel_times(recording(buffer, 1));
  ASSERT_TRUE(times) << times.error().message();
  EXPECT_EQ(times->calls[0].launches, 2U);
  EXPECT_EQ(times->calls[0].busy, nanoseconds(300));
}

TEST(KernelTimes, kernels_are_listed_by_total_time_with_shares_of_it) {
  RecordBuffer buffer;
  buffer.mark(1, 1);
  buffer.kernel("_Z3addPfi", 1, 1'000, 1'010);
  buffer.kernel("softmax", 1, 1'010, 1'070);
  buffer.kernel("_Z3addPfi", 1, 1'070, 1'100);
  const auto times = kernel_times(recording(buffer, 1));
  ASSERT_TRUE(times) << times.error().message();
  ASSERT_EQ(times->kernels.size(), 2U);
  EXPECT_EQ(times->kernels[0].name, "softmax");
  EXPECT_DOUBLE_EQ(times->kernels[0].share, 0.6);
  EXPECT_EQ(times->kernels[1].name, "add(float*, int)");
  EXPECT_EQ(times->kernels[1].launches, 2U);
  EXPECT_EQ(times->kernels[1].total, nanoseconds(40));
  EXPECT_DOUBLE_EQ(times->kernels[1].share, 0.4);
}

TEST(KernelTimes, a_call_that_launches_nothing_takes_no_time) {
  RecordBuffer buffer;
  const auto times = kernel_times(recording(buffer, 2));
  ASSERT_TRUE(times) << times.error().message();
  ASSERT_EQ(times->calls.size(), 2U);
  EXPECT_EQ(times->calls[1].launches, 0U);
  EXPECT_EQ(times->calls[1].span, nanoseconds(0));
  EXPECT_TRUE(times->kernels.empty());
}

TEST(KernelTimes, launches_of_other_threads_go_to_the_call_they_were_made_in) {
  RecordBuffer buffer;
  buffer.call(cupti::Kind::runtime_call, 7, 120);  // within the second call
  buffer.kernel("backward", 7, 1'000, 1'100);
  const auto times = kernel_times(recording(buffer, 3));
  ASSERT_TRUE(times) << times.error().message();
  EXPECT_EQ(times->calls[0].launches, 0U);
  EXPECT_EQ(times->calls[1].busy, nanoseconds(100));
  EXPECT_EQ(times->launches_of_other_threads, 1U);
}

TEST(KernelTimes, launches_of_other_threads_between_calls_spoil_the_trace) {
  RecordBuffer buffer;
  buffer.call(cupti::Kind::runtime_call, 7, 170);
  buffer.kernel("load", 7, 1'000, 1'100);
  EXPECT_EQ(failure(recording(buffer, 3)),
            "the trace of kernels is not whole: 1 kernels or copies that no call launched");
}

TEST(KernelTimes, what_nobody_is_known_to_have_launched_spoils_the_trace) {
  RecordBuffer buffer;
  buffer.kernel("orphan", 7, 1'000, 1'100);
  EXPECT_NE(failure(recording(buffer, 3)).find("no call launched"), std::string::npos);
  RecordBuffer beyond;
  beyond.mark(7, 4);
  beyond.kernel("marked for a call that never was", 7, 1'000, 1'100);
  EXPECT_NE(failure(recording(beyond, 3)).find("no call launched"), std::string::npos);
}

TEST(KernelTimes, a_kernel_without_times_spoils_the_trace) {
  RecordBuffer buffer;
  buffer.mark(7, 1);
  buffer.kernel("untimed", 7, 0, 0);
  EXPECT_NE(failure(recording(buffer, 1)).find("1 kernels or copies without a time"),
            std::string::npos);
}

TEST(KernelTimes, times_of_another_clock_spoil_the_trace) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  for (const auto& [start, end] :
       {std::pair(kHour, kHour + 10), std::pair<std::uint64_t, std::uint64_t>(1'100, 1'000)}) {
    RecordBuffer buffer;
    buffer.mark(7, 1);
    buffer.kernel("displaced", 7, start, end);
    EXPECT_NE(failure(recording(buffer, 1)).find("another clock"), std::string::npos);
  }
}

TEST(KernelTimes, every_loss_is_fatal_and_said) {
  RecordBuffer buffer;
  buffer.mark(1, 1);
  buffer.kernel("a", 1, 1'000, 1'100);
  KernelRecording made = recording(buffer, 1);
  ASSERT_TRUE(kernel_times(made));
  made.losses = {.dropped = 5, .refused = 4, .not_returned = 3, .misplaced_marks = 2};
  made.records.unreadable = 1;
  EXPECT_EQ(failure(made),
            "the trace of kernels is not whole: 5 records dropped by CUPTI; 4 buffers refused, for "
            "the calls launch too much; 3 buffers that CUPTI did not give back; 1 buffers with an "
            "unreadable record; 2 marks of calls that somebody else moved");
}

}  // namespace
}  // namespace assay::device
