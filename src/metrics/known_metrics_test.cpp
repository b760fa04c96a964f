#include "metrics/known_metrics.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::metrics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::optional<std::string> mistake_in(const std::vector<std::string>& wanted) {
  const KnownMetrics known({"sm__throughput", "dram__bytes", "dram__bytes_read",
                            "LTS.TriageCompute.lts__t_sector_throughput"});
  return known.mistake_in(wanted);
}

TEST(KnownMetrics, lets_pass_what_there_is) {
  EXPECT_EQ(mistake_in({}), std::nullopt);
  EXPECT_EQ(mistake_in({"dram__bytes", "dram__bytes.sum.per_second",
                        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                        "lts__t_sector_throughput.avg.pct_of_peak_sustained_elapsed"}),
            std::nullopt);
}

TEST(KnownMetrics, names_the_first_that_is_not_there_and_those_most_like_it) {
  EXPECT_EQ(mistake_in({"sm__throughput.avg", "dram_bytes.sum", "xyz"}),
            "there is no metric dram_bytes.sum; did you mean dram__bytes, dram__bytes_read?");
  EXPECT_EQ(mistake_in({"xyz"}), "there is no metric xyz");
}

TEST(KnownMetrics, knows_what_may_stand_behind_a_name) {
  EXPECT_THAT(mistake_in({"dram__bytes.total"}).value(),
              AllOf(HasSubstr("dram__bytes has no '.total'"), HasSubstr("avg, max")));
  EXPECT_TRUE(mistake_in({"dram__bytes."}));
}

TEST(KnownMetrics, leaves_the_profilers_own_to_the_profiler) {
  EXPECT_EQ(mistake_in({"launch__grid_size", "sm__maximum_warps_per_active_cycle_pct",
                        "smsp__pcsamp_sample_count", "derived__lts__lts2xbar_bytes",
                        "sm__pipe_tensor_cycles_active_realtime.avg",
                        "memory_l2_theoretical_sectors_global", "thread_inst_executed_true"}),
            std::nullopt);
}

}  // namespace
}  // namespace assay::metrics
