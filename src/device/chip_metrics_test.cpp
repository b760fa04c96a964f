#include "device/chip_metrics.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/testkit/real_cupti.hpp"

namespace assay::device {
namespace {

using ::testing::Contains;

TEST(ChipMetrics, knows_chips_without_a_gpu) {
  ASSAY_NEEDS_CUPTI();
  EXPECT_THAT(ChipMetrics::chips(real_cupti()).value(), Contains("GH100"));
}

TEST(ChipMetrics, says_what_a_metric_is_and_what_it_costs) {
  ASSAY_NEEDS_CUPTI();
  const ChipMetrics chip = ChipMetrics::open(real_cupti(), "gh100").value();
  EXPECT_THAT(chip.names().value(), Contains("sm__throughput"));
  EXPECT_EQ(chip.describe("dram__bytes.sum").value().unit, "byte");
  const std::vector<std::string> cheap{"dram__bytes.sum", "gpu__time_duration.sum"};
  EXPECT_EQ(chip.passes(cheap).value(), 1U);
  const std::vector<std::string> dear{"sm__throughput.avg.pct_of_peak_sustained_elapsed"};
  EXPECT_GT(chip.passes(dear).value(), 1U);
  EXPECT_EQ(chip.passes(cheap).value(), 1U);  // the second plan knows nothing of the first
}

TEST(ChipMetrics, refuses_what_does_not_exist) {
  ASSAY_NEEDS_CUPTI();
  EXPECT_EQ(ChipMetrics::open(real_cupti(), "xyz").error().code(), ErrorCode::not_found);
  const ChipMetrics chip = ChipMetrics::open(real_cupti(), "GH100").value();
  EXPECT_EQ(chip.describe("flop_count_sp").error().code(), ErrorCode::not_found);
  EXPECT_EQ(chip.passes(std::vector<std::string>{"flop_count_sp"}).error().code(),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::device
