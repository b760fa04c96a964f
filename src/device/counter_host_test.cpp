#include "device/counter_host.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cupti_profiler.hpp"
#include "device/profiler_api.hpp"
#include "device/testkit/real_cupti.hpp"

namespace assay::device {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(CounterHost, turns_names_into_a_configuration_without_a_gpu) {
  ASSAY_NEEDS_CUPTI();
  const CuptiProfiler cupti = CuptiProfiler::open(real_cupti()).value();
  CounterHost host = CounterHost::open(cupti, "GH100").value();
  const std::vector<std::string> metrics{"dram__bytes.sum", "gpu__time_duration.sum",
                                         "sm__throughput.avg.pct_of_peak_sustained_elapsed"};
  const auto configuration = host.configure(metrics);
  ASSERT_TRUE(configuration) << configuration.error().message();
  const auto passes = host.passes(*configuration);
  ASSERT_TRUE(passes) << passes.error().message();
  EXPECT_GT(*passes, 1U);
  EXPECT_LT(*passes, 20U);
}

TEST(CounterHost, knows_the_type_and_unit_of_each_metric) {
  ASSAY_NEEDS_CUPTI();
  const CuptiProfiler cupti = CuptiProfiler::open(real_cupti()).value();
  const CounterHost host = CounterHost::open(cupti, "GH100").value();
  EXPECT_EQ(host.find("sm__throughput")->type, profiler::MetricType::throughput);
  EXPECT_STREQ(host.find("dram__bytes.sum")->unit, "byte");
  EXPECT_FALSE(host.find("launch__grid_size"));
  EXPECT_THAT(host.names(profiler::MetricType::counter).value(), Contains("dram__bytes"));
}

TEST(CounterHost, refuses_unknown_chips_and_metrics) {
  ASSAY_NEEDS_CUPTI();
  const CuptiProfiler cupti = CuptiProfiler::open(real_cupti()).value();
  const auto unknown = CounterHost::open(cupti, "XYZ");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), ErrorCode::not_found);
  EXPECT_THAT(unknown.error().message(), HasSubstr("XYZ"));
  CounterHost host = CounterHost::open(cupti, "GH100").value();
  const auto refused = host.configure(std::vector<std::string>{"flop_count_sp.sum"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("cuptiProfilerHostConfigAddMetrics"));
}

}  // namespace
}  // namespace assay::device
