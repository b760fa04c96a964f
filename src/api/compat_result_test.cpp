#include "api/compat_result.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "api/context.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "wire/outcome.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

const HostInfo kHost{.name = "pod", .ip = "10.0.0.1"};

Job done(Outcome outcome, RequestForm form = RequestForm::compare) {
  outcome.provenance.device = {"cpu"};
  return {.id = {"id"},
          .form = form,
          .state = JobState::done,
          .verdict = std::string(name_of(outcome.verdict)),
          .result = wire::encode_outcome(outcome)};
}

wire::Value body(const http::Response& response) {
  return wire::Value::parse(response.body).value();
}

TEST(CompatResult, of_an_accepted_kernel_is_complete) {
  const Outcome outcome{
      .verdict = Accepted{},
      .candidate_timing = TimingSummary{.samples = {1e6}, .statistics = {.mean = 1.5e6}},
      .reference_timing = TimingSummary{.samples = {3e6}, .statistics = {.mean = 3e6}},
      .speed = Speed{.speedup = 2}};
  const auto response = compat_result(done(outcome), kHost);
  EXPECT_EQ(response.status, 200);
  const auto json = body(response);
  EXPECT_EQ(json["status"].text(), "success");
  EXPECT_TRUE(json["kernel_exec_result"]["compiled"].truth());
  EXPECT_TRUE(json["kernel_exec_result"]["correctness"].truth());
  EXPECT_EQ(json["kernel_exec_result"]["runtime"].number(), 1.5);
  EXPECT_EQ(json["kernel_exec_result"]["runtime_stats"]["mean"].number(), 1.5);
  EXPECT_EQ(json["ref_runtime"]["mean"].number(), 3);
  EXPECT_EQ(json["speedup"].number(), 2);
  EXPECT_EQ(json["pod_name"].text(), "pod");
  EXPECT_TRUE(json["kernel_exec_result"]["validation_error"].is_null());
}

TEST(CompatResult, has_the_interval_of_the_speedup_where_there_is_one) {
  Outcome outcome{.verdict = Accepted{}, .speed = Speed{.speedup = 2}};
  auto json = body(compat_result(done(outcome), kHost));
  EXPECT_TRUE(json["speedup_ci95"].is_null());
  EXPECT_EQ(json["speed_verdict"].text(), "undecided");
  outcome.speed->interval_95 = {.low = 1.5, .high = 2.5};
  json = body(compat_result(done(outcome), kHost));
  EXPECT_EQ(json["speedup_ci95"].elements().at(1).number(), 2.5);
}

TEST(CompatResult, names_the_type_of_gpu_where_it_is_a_known_one) {
  HostInfo host = kHost;
  EXPECT_TRUE(body(compat_result(done({.verdict = Accepted{}}), host))["gpu_type"].is_null());
  host.gpu_type = "h200";
  const auto response = compat_result(done({.verdict = Accepted{}}), host);
  EXPECT_EQ(body(response)["gpu_type"].text(), "h200");
  EXPECT_EQ(response.headers.find("X-GPU-Type"), "h200");
}

TEST(CompatResult, of_a_source_that_does_not_compile_has_the_log) {
  const auto json =
      body(compat_result(done({.verdict = DidNotCompile{"kernel.cu:3: error"}}), kHost));
  EXPECT_FALSE(json["kernel_exec_result"]["compiled"].truth());
  EXPECT_EQ(json["kernel_exec_result"]["compilation_error"].text(), "kernel.cu:3: error");
}

TEST(CompatResult, of_a_crash_is_never_an_empty_success) {
  const auto json =
      body(compat_result(done({.verdict = Crashed{.reason = "killed by SIGSEGV"}}), kHost));
  EXPECT_TRUE(json["kernel_exec_result"]["compiled"].truth());
  EXPECT_FALSE(json["kernel_exec_result"]["correctness"].truth());
  EXPECT_EQ(json["kernel_exec_result"]["validation_error"].text(), "killed by SIGSEGV");
  EXPECT_EQ(json["verdict"].text(), "crashed");
}

TEST(CompatResult, of_a_failed_reference_says_so) {
  const auto json = body(compat_result(
      done({.verdict = ReferenceFailed{.verdict = "did_not_compile", .reason = "log"}}), kHost));
  EXPECT_NE(json["kernel_exec_result"]["validation_error"].text().find("reference"),
            std::string::npos);
}

TEST(CompatResult, of_a_time_out_is_a_500_with_the_reason) {
  const auto response = compat_result(
      done({.verdict = TimedOut{.limit = std::chrono::seconds(5), .phase = "checking"}}), kHost);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(body(response)["error"].text(), "Job timed out after 5 seconds while checking");
  EXPECT_EQ(body(response)["job_id"].text(), "id");
}

TEST(CompatResult, of_our_own_failure_is_a_500_with_the_reason) {
  Job job = done({.verdict = Accepted{}});
  job.error = Error(ErrorCode::internal, "disk full");
  EXPECT_EQ(compat_result(job, kHost).status, 500);
  EXPECT_EQ(body(compat_result(job, kHost))["error"].text(), "disk full");
}

TEST(CompatResult, of_an_evaluation_has_no_reference_time) {
  const auto json =
      body(compat_result(done({.verdict = Accepted{}}, RequestForm::evaluate), kHost));
  EXPECT_TRUE(json["ref_runtime"].is_null());
}

TEST(CompatJob, shows_the_live_phase_and_the_result_when_finished) {
  const Job running{.id = {"id"},
                    .state = JobState::checking,
                    .created = WallTime(std::chrono::milliseconds(1500))};
  const auto live = body(compat_job(running, kHost));
  EXPECT_EQ(live["status"].text(), "validating");
  EXPECT_EQ(live["created_at"].number(), 1.5);
  EXPECT_TRUE(live["result"].is_null());
  const auto finished = body(compat_job(done({.verdict = Accepted{}}), kHost));
  EXPECT_EQ(finished["status"].text(), "completed");
  EXPECT_EQ(finished["result"]["status"].text(), "success");
  EXPECT_TRUE(finished["error"].is_null());
}

TEST(CompatJob, says_itself_why_the_blocking_routes_would_answer_500) {
  const auto late = body(compat_job(
      done({.verdict = TimedOut{.limit = std::chrono::seconds(5), .phase = "checking"}}), kHost));
  EXPECT_EQ(late["status"].text(), "failed");
  EXPECT_EQ(late["error"].text(), "Job timed out after 5 seconds while checking");
  EXPECT_EQ(late["result"]["error"].text(), late["error"].text());
  const auto cancelled = body(compat_job({.id = {"id"}, .state = JobState::cancelled}, kHost));
  EXPECT_EQ(cancelled["status"].text(), "failed");
  EXPECT_EQ(cancelled["error"].text(), "Job was cancelled");
  Job broken{.id = {"id"}, .state = JobState::failed};
  broken.error = Error(ErrorCode::internal, "disk full");
  EXPECT_EQ(body(compat_job(broken, kHost))["error"].text(), "disk full");
}

}  // namespace
}  // namespace assay::api
