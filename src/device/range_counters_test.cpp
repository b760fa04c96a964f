#include "device/range_counters.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cuda_api.hpp"
#include "device/profiler_api.hpp"
#include "device/testkit/fake_profiler.hpp"

namespace assay::device {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RangeCounters : public testing::Test {
 protected:
  RangeCounters() { fake_.metrics = {{"a.sum", 2}, {"b.avg", 0.5}}; }

  Result<CounterReading> read(const std::vector<std::string>& metrics = {"a.sum", "b.avg"}) {
    const CounterCall call{.prepare =
                               [this] {
                                 fake_.calls.emplace_back("prepare");
                                 return prepare_status_;
                               },
                           .make =
                               [this] {
                                 fake_.calls.emplace_back("call");
                                 return call_status_;
                               }};
    return read_counters(FakeProfiler::table(), FakeProfiler::driver(), metrics, call);
  }
  void expect_all_undone() const {
    EXPECT_FALSE(fake_.is_enabled);
    EXPECT_FALSE(fake_.host_is_open);
  }

  FakeProfiler fake_;
  cuda::Status prepare_status_ = cuda::kSuccess;
  cuda::Status call_status_ = cuda::kSuccess;
};

TEST_F(RangeCounters, are_read_in_the_order_that_cupti_wants) {
  const auto reading = read();
  ASSERT_TRUE(reading) << reading.error().message();
  EXPECT_EQ(reading->chip, "GH100");
  ASSERT_EQ(reading->values.size(), 2U);
  EXPECT_EQ(reading->values[0].metric, "a.sum");
  EXPECT_EQ(reading->values[0].value, 2);
  EXPECT_THAT(
      fake_.calls,
      ElementsAre("cuptiProfilerDeviceSupported", "cuptiDeviceGetChipName",
                  "cuptiProfilerGetCounterAvailability", "cuptiProfilerGetCounterAvailability",
                  "cuptiProfilerHostInitialize", "cuptiProfilerHostConfigAddMetrics",
                  "cuptiProfilerHostGetConfigImageSize", "cuptiProfilerHostGetConfigImage",
                  "cuptiProfilerHostGetNumOfPasses", "cuptiRangeProfilerEnable",
                  "cuptiRangeProfilerGetCounterDataSize",
                  "cuptiRangeProfilerCounterDataImageInitialize", "cuptiRangeProfilerSetConfig",
                  "prepare", "cuptiRangeProfilerStart", "cuptiRangeProfilerPushRange", "call",
                  "cuptiRangeProfilerPopRange", "cuptiRangeProfilerStop",
                  "cuptiRangeProfilerDecodeData", "cuptiRangeProfilerGetCounterDataInfo",
                  "cuptiRangeProfilerDisable"));
  EXPECT_EQ(fake_.config.range, profiler::kRangeOfEachKernel);
  EXPECT_EQ(fake_.config.replay, profiler::kReplayByCaller);
  expect_all_undone();
}

TEST_F(RangeCounters, have_the_call_prepared_and_made_once_for_each_pass) {
  fake_.passes = fake_.announced = 3;
  const auto reading = read();
  ASSERT_TRUE(reading) << reading.error().message();
  EXPECT_EQ(reading->passes, 3U);
  EXPECT_EQ(std::ranges::count(fake_.calls, "prepare"), 3);
  EXPECT_EQ(std::ranges::count(fake_.calls, "call"), 3);
  EXPECT_EQ(std::ranges::count(fake_.calls, "cuptiRangeProfilerDecodeData"), 1);
}

TEST_F(RangeCounters, leave_out_what_the_chip_lacks_and_what_has_no_value) {
  fake_.metrics["c.pct"] = std::nan("");
  const auto reading = read({"a.sum", "missing.sum", "c.pct"});
  ASSERT_TRUE(reading) << reading.error().message();
  EXPECT_THAT(fake_.configured, ElementsAre("a.sum", "c.pct"));
  ASSERT_EQ(reading->values.size(), 1U);
  EXPECT_EQ(read({"missing.sum"}).error().message(), "GH100 has none of the metrics");
}

TEST_F(RangeCounters, say_which_step_was_refused_and_leave_nothing_enabled) {
  for (const char* step :
       {"cuptiProfilerDeviceSupported", "cuptiDeviceGetChipName",
        "cuptiProfilerGetCounterAvailability", "cuptiProfilerHostInitialize",
        "cuptiProfilerHostConfigAddMetrics", "cuptiProfilerHostGetConfigImageSize",
        "cuptiProfilerHostGetConfigImage", "cuptiProfilerHostGetNumOfPasses",
        "cuptiRangeProfilerEnable", "cuptiRangeProfilerGetCounterDataSize",
        "cuptiRangeProfilerCounterDataImageInitialize", "cuptiRangeProfilerSetConfig",
        "cuptiRangeProfilerStart", "cuptiRangeProfilerPopRange", "cuptiRangeProfilerStop",
        "cuptiRangeProfilerDecodeData", "cuptiRangeProfilerGetCounterDataInfo"}) {
    fake_.refused = step;
    const auto reading = read();
    ASSERT_FALSE(reading) << step;
    EXPECT_THAT(reading.error().message(), HasSubstr(std::string(step) + ": CUPTI_ERROR_FAKE (7)"));
    EXPECT_FALSE(fake_.is_enabled) << step;
  }
}

TEST_F(RangeCounters, need_no_pushed_range_where_cupti_refuses_one) {
  fake_.refused = "cuptiRangeProfilerPushRange";
  ASSERT_TRUE(read());
  EXPECT_EQ(std::ranges::count(fake_.calls, "cuptiRangeProfilerPopRange"), 0);
}

TEST_F(RangeCounters, are_not_read_without_a_driver_or_on_gpus_that_cannot_be_profiled) {
  CuptiProfiler without_driver = FakeProfiler::table();
  without_driver.started = 999;
  const CounterCall none{};
  const auto started = read_counters(without_driver, FakeProfiler::driver(), {}, none);
  EXPECT_THAT(started.error().message(), HasSubstr("cuptiProfilerInitialize"));
  fake_.support = 1;
  EXPECT_THAT(read().error().message(), HasSubstr("this GPU cannot be profiled"));
}

TEST_F(RangeCounters, end_with_a_call_that_fails) {
  call_status_ = cuda::kIllegalAddress;
  const auto reading = read();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().message(), "the counted call: CUDA_ERROR_FAKE: it failed");
  EXPECT_EQ(fake_.calls.end()[-2], "cuptiRangeProfilerStop");
  expect_all_undone();
  call_status_ = cuda::kSuccess;
  prepare_status_ = cuda::kOutOfMemory;
  EXPECT_FALSE(read());
  expect_all_undone();
}

TEST_F(RangeCounters, do_not_wait_for_passes_that_never_end) {
  fake_.passes = 1'000'000;
  fake_.announced = 2;
  EXPECT_THAT(read().error().message(), HasSubstr("more than the 2 passes it announced"));
  expect_all_undone();
}

TEST_F(RangeCounters, must_be_those_of_one_kernel) {
  for (const std::size_t ranges : {0U, 2U}) {
    fake_.ranges = ranges;
    EXPECT_THAT(read().error().message(),
                HasSubstr("CUPTI counted " + std::to_string(ranges) + " ranges"));
  }
}

}  // namespace
}  // namespace assay::device
