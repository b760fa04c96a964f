#include "trace/ncu/labels.hpp"

#include <gtest/gtest.h>

namespace assay::trace {
namespace {

TEST(Labels, mean_different_metrics_in_different_sections) {
  EXPECT_EQ(metric_of_label("SpeedOfLight", "Memory Throughput", "%"),
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(metric_of_label("MemoryWorkloadAnalysis", "Memory Throughput", "byte/s"),
            "dram__bytes.sum.per_second");
}

TEST(Labels, are_told_apart_by_unit_where_versions_changed_the_metric) {
  EXPECT_EQ(metric_of_label("PmSampling", "Maximum Sampling Interval", "cycle"),
            "profiler__pmsampler_interval_cycles");
  EXPECT_EQ(metric_of_label("PmSampling", "Maximum Sampling Interval", "ns"),
            "profiler__pmsampler_interval_time");
}

TEST(Labels, that_are_ambiguous_or_unknown_have_no_metric) {
  EXPECT_EQ(metric_of_label("ComputeWorkloadAnalysis", "SM Busy", "%"), "");
  EXPECT_EQ(metric_of_label("SpeedOfLight", "No Such Label", ""), "");
}

TEST(Sections, have_an_id_behind_their_name) {
  EXPECT_EQ(section_id_of("GPU Speed Of Light Throughput"), "SpeedOfLight");
  EXPECT_EQ(section_id_of("My Own Section"), "My Own Section");
}

}  // namespace
}  // namespace assay::trace
