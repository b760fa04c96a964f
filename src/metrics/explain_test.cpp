#include "metrics/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/findings.hpp"
#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CallMetrics call_with(double compute, double memory) {
  CallMetrics call{.groups = {{.name = "speed_of_light",
                               .values = {{"compute_throughput_pct", compute},
                                          {"memory_throughput_pct", memory}}}},
                   .launches = {{.kernel = "copy",
                                 .grid = "1 x 1 x 1",
                                 .block = "32 x 1 x 1",
                                 .duration_ns = 5000,
                                 .share = 1}}};
  call.findings = find_what_they_say(call);
  return call;
}

TEST(Explain, says_what_bounds_the_kernel_what_changed_and_what_to_try) {
  const std::string page =
      explain({.status = {.state = MetricsState::collected, .profiler = "2025.3.1"},
               .original = call_with(5, 8),
               .custom = call_with(10, 92)});
  EXPECT_THAT(page, HasSubstr("* memory-bound: 92 % of the memory system's peak"));
  EXPECT_THAT(page, HasSubstr("memory, of peak                             8             92 %"));
  EXPECT_THAT(page, HasSubstr("The reference\n* latency-bound"));
  EXPECT_THAT(page, HasSubstr("What to try\n* move fewer bytes"));
  EXPECT_THAT(page, HasSubstr("5.00 us  copy"));
  EXPECT_THAT(page, HasSubstr("ncu 2025.3.1"));
}

TEST(Explain, says_whose_counters_the_runner_read_itself) {
  const std::string page =
      explain({.status = {.state = MetricsState::collected,
                          .collectors = {{.side = "original"},
                                         {.side = "custom", .by = MetricsCollector::cupti}}},
               .original = call_with(5, 8),
               .custom = call_with(10, 92)});
  EXPECT_THAT(page, HasSubstr("CUPTI read those of the candidate, in its own runner.\n"));
  EXPECT_THAT(page, Not(HasSubstr("CUPTI read those of the reference")));
}

TEST(Explain, without_counters_says_why_and_what_to_do) {
  const std::string page = explain(
      {.status = {
           .state = MetricsState::forbidden, .reason = "not allowed", .advice = "ask root"}});
  EXPECT_EQ(page, "No device metrics (forbidden): not allowed\nWhat to do: ask root\n");
}

TEST(Explain, abstains_where_the_counters_do_not_say) {
  CallMetrics silent;
  silent.findings = find_what_they_say(silent);
  const std::string page =
      explain({.status = {.state = MetricsState::collected}, .custom = silent});
  EXPECT_THAT(page, HasSubstr("what bounds it is not said"));
  EXPECT_THAT(page, HasSubstr("suggest nothing in particular"));
  EXPECT_THAT(page, Not(HasSubstr("What to try")));
}

}  // namespace
}  // namespace assay::metrics
