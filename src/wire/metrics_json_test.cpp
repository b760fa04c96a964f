#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/device_metrics.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "wire/decode_error.hpp"
#include "wire/outcome.hpp"
#include "wire/request.hpp"

namespace assay::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Outcome outcome_with(DeviceMetrics metrics) {
  return {.verdict = Accepted{},
          .device_metrics = std::move(metrics),
          .provenance = {.device = {"cuda:0"}, .device_name = "x", .assay_version = "1"}};
}

CallMetrics sample_call() {
  return {.groups = {{.name = "speed_of_light",
                      .values = {{"compute_limiter", std::string("sm__pipe")},
                                 {"compute_throughput_pct", 12.5}}}},
          .launches = {{.kernel = "k",
                        .grid = "1 x 1 x 1",
                        .block = "32 x 1 x 1",
                        .duration_ns = 5,
                        .share = 1,
                        .groups = {{.name = "timing_metrics", .values = {{"a", 1.0}}}}}},
          .findings = {{.rule = "r", .text = "t", .numbers = {{"n", 2.0}}}},
          .runs = 3,
          .spread = {{"speed_of_light", "compute_throughput_pct", 12, 13}}};
}

TEST(MetricsJson, all_that_was_found_reads_back_as_written) {
  const Outcome written = outcome_with(
      {.status = {.state = MetricsState::collected,
                  .profiler = "2025",
                  .seconds = 3,
                  .collectors = {{.side = "custom", .by = MetricsCollector::cupti, .passes = 17},
                                 {.side = "original", .reason = "it is torch"}}},
       .original = sample_call(),
       .custom = sample_call(),
       .changes = {{"speed_of_light", "compute_throughput_pct", 10, 12.5}}});
  const std::string text = encode_outcome(written);
  const Outcome read = decode_outcome(text).value();
  EXPECT_EQ(encode_outcome(read), text);
  ASSERT_TRUE(read.device_metrics && read.device_metrics->custom);
  EXPECT_EQ(read.device_metrics->custom->launches[0].groups[0].name, "timing_metrics");
  EXPECT_EQ(read.device_metrics->changes[0].original, 10);
  EXPECT_EQ(read.device_metrics->status.collectors.at(0).passes, 17U);
  EXPECT_EQ(read.device_metrics->status.collectors.at(1).reason, "it is torch");
  EXPECT_THAT(text, HasSubstr(R"("collectors":{"custom":{"by":"cupti","passes":17},)"
                              R"("original":{"by":"ncu","reason":"it is torch"}})"));
  EXPECT_EQ(read.device_metrics->custom->runs, 3U);
  EXPECT_EQ(read.device_metrics->custom->spread.at(0).most, 13);
  EXPECT_EQ(read.device_metrics->custom->groups.size(), 1U);
  EXPECT_THAT(text, HasSubstr(R"("original_device_metrics":{)"));
}

TEST(MetricsJson, a_status_stands_alone_where_nothing_was_collected) {
  const std::string text = encode_outcome(outcome_with(
      {.status = {.state = MetricsState::forbidden, .reason = "why", .advice = "do"}}));
  EXPECT_THAT(text, HasSubstr(R"("device_metrics_status":{"advice":"do","reason":"why",)"
                              R"("state":"forbidden"})"));
  EXPECT_EQ(text.find("\"device_metrics\":"), std::string::npos);
  EXPECT_EQ(decode_outcome(text)->device_metrics->status.state, MetricsState::forbidden);
}

Request read(const std::string& member) {
  const std::string body =
      R"({"kernel":{"source_code":"class X","kernel_type":"torch"})" + member + "}";
  return decode_request(RequestForm::job, body).value();
}

TEST(MetricsRequest, is_true_or_says_what_is_wanted) {
  EXPECT_FALSE(read("").device_metrics);
  EXPECT_TRUE(read(R"(,"device_metrics":true)").device_metrics->asked);
  EXPECT_FALSE(read(R"(,"device_metrics":false)").device_metrics->asked);
  const auto named =
      read(R"(,"device_metrics":{"sets":["full"],"metrics":["a.sum"]})").device_metrics;
  EXPECT_TRUE(named->asked);
  EXPECT_THAT(named->wanted.sets, ElementsAre("full"));
  EXPECT_THAT(named->wanted.metrics, ElementsAre("a.sum"));
  EXPECT_EQ(named->collector, MetricsCollector::ncu);
  EXPECT_EQ(read(R"(,"device_metrics":{"collector":"cupti"})").device_metrics->collector,
            MetricsCollector::cupti);
  EXPECT_EQ(read(R"(,"device_metrics":{"collector":"auto"})").device_metrics->collector,
            MetricsCollector::automatic);
}

TEST(MetricsRequest, names_the_field_that_is_wrong) {
  const auto error_of = [](const std::string& value) {
    const auto request = decode_request(
        RequestForm::evaluate,
        R"({"kernel":{"source_code":"class X","kernel_type":"torch"},"device_metrics":)" + value +
            "}");
    return request ? std::string("accepted") : describe(request.error());
  };
  EXPECT_THAT(error_of("3"), HasSubstr("device_metrics"));
  EXPECT_THAT(error_of(R"({"sets":["--import"]})"), HasSubstr("sets"));
  EXPECT_THAT(error_of(R"({"kernels":[]})"), HasSubstr("kernels"));
  EXPECT_THAT(error_of(R"({"collector":"nvprof"})"), HasSubstr("collector"));
}

}  // namespace
}  // namespace assay::wire
