#include "api/job_view.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "wire/outcome.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

WallTime at(int milliseconds) {
  return WallTime(std::chrono::milliseconds(milliseconds));
}

const std::vector<JobEvent> kEvents = {
    {.sequence = 1, .at = at(0), .state = JobState::queued},
    {.sequence = 2, .at = at(5), .state = JobState::building},
    {.sequence = 3, .at = at(25), .state = JobState::done, .detail = "accepted"}};

wire::Value view(const Job& job, const JobViewOptions& options) {
  return wire::Value::parse(job_view(job, kEvents, options).dump()).value();
}

Job finished_job() {
  const Outcome outcome{.verdict = Accepted{},
                        .candidate_timing = TimingSummary{.samples = {1, 2, 3}},
                        .provenance = {.device = {"cpu"}}};
  return {.id = {"id"},
          .body = R"({"kernel":1})",
          .state = JobState::done,
          .verdict = "accepted",
          .result = wire::encode_outcome(outcome)};
}

TEST(JobView, has_phases_with_durations) {
  const auto json = view(finished_job(), {});
  const auto& phases = json["phases"].elements();
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0]["state"].text(), "queued");
  EXPECT_EQ(phases[0]["duration_ms"].number(), 5);
  EXPECT_EQ(phases[1]["duration_ms"].number(), 20);
}

TEST(JobView, samples_and_request_come_only_on_request) {
  const auto brief = view(finished_job(), {});
  EXPECT_TRUE(brief["result"]["candidate_timing"]["samples_ns"].is_null());
  EXPECT_EQ(brief["result"]["candidate_timing"]["sample_count"].number(), 3);
  EXPECT_TRUE(brief["request"].is_null());
  const auto full = view(finished_job(), {.with_samples = true, .with_request = true});
  EXPECT_EQ(full["result"]["candidate_timing"]["samples_ns"].elements().size(), 3U);
  EXPECT_EQ(full["request"]["kernel"].number(), 1);
}

TEST(JobView, of_a_failed_job_has_its_error) {
  Job job = finished_job();
  job.error = Error(ErrorCode::unavailable, "m");
  EXPECT_EQ(view(job, {})["error"]["code"].text(), "unavailable");
}

TEST(IsoTime, has_milliseconds) {
  EXPECT_EQ(iso_time(at(1234)), "1970-01-01T00:00:01.234Z");
}

}  // namespace
}  // namespace assay::api
