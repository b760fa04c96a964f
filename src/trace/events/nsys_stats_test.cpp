#include "trace/events/nsys_stats.hpp"

#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/summary.hpp"

namespace assay::trace {
namespace {

constexpr const char* kNew =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
    "75.0,300,3,100.0,90.0,80,130,26.5,\"void f<int, 4>(int)\"\n"
    "25.0,100,1,100.0,100.0,100,100,0.0,g\n";

TEST(NsysStats, reads_the_sums) {
  const StatsFile file = parse_nsys_stats(kNew).value();
  const StatsTable* kernels = file.find("cuda_gpu_kern_sum");
  ASSERT_NE(kernels, nullptr);
  ASSERT_EQ(kernels->rows.size(), 2U);
  EXPECT_EQ(kernels->rows[0].name, "void f<int, 4>(int)");
  EXPECT_EQ(kernels->rows[0].summary.total, 300);
  EXPECT_EQ(kernels->rows[0].summary.count, 3U);
  EXPECT_EQ(kernels->rows[0].summary.deviation, 26.5);
  EXPECT_EQ(file.find("nvtx_sum"), nullptr);
}

TEST(NsysStats, reads_the_columns_of_old_releases) {
  const StatsFile file = parse_nsys_stats(
                             "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n"
                             "100.0,300,3,100.0,80,130,f\n")
                             .value();
  const Summary& summary = file.tables.at(0).rows.at(0).summary;
  EXPECT_EQ(summary.greatest, 130);
  EXPECT_TRUE(std::isnan(summary.median)) << "which that release did not print";
}

TEST(NsysStats, reads_other_units_as_nanoseconds) {
  const StatsFile file =
      parse_nsys_stats(
          "Time (%),Total Time (ms),Num Calls,Avg (ms),Name\n100.0,\"1,234.5\",2,0.5,f\n")
          .value();
  EXPECT_EQ(file.tables.at(0).report, "cuda_api_sum");
  EXPECT_EQ(file.tables.at(0).rows.at(0).summary.total, 1'234'500'000);
}

TEST(NsysStats, reads_several_reports_between_other_output) {
  const std::string text =
      "Generating SQLite file run.sqlite from run.nsys-rep\n"
      "Processing [run.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]... \n" +
      std::string(kNew) +
      "\nProcessing [run.sqlite] with [/opt/nsys/reports/nvtx_sum.py]... \n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev "
      "(ns),Style,Range\n"
      "100.0,50,1,50.0,50.0,50,50,0.0,PushPop,:Forward\n";
  const StatsFile file = parse_nsys_stats(text).value();
  ASSERT_EQ(file.tables.size(), 2U);
  EXPECT_EQ(file.tables[0].rows.size(), 2U);
  EXPECT_EQ(file.tables[1].report, "nvtx_sum");
  EXPECT_EQ(file.tables[1].rows.at(0).name, ":Forward");
}

TEST(NsysStats, lines_that_are_no_rows_are_counted) {
  const StatsFile file = parse_nsys_stats(std::string(kNew) + "the end\n").value();
  EXPECT_EQ(file.diagnostics.count("lines_left_out"), 1U);
}

TEST(NsysStats, a_refusal_in_place_of_a_summary_is_told) {
  const auto stale = parse_nsys_stats(
      "The existing SQLite export is older; use --force-export=true to overwrite it.\n");
  EXPECT_EQ(stale.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(stale.error().message().find("stale"), std::string::npos);
  const auto skipped = parse_nsys_stats("SKIPPED: run.sqlite does not contain CUDA kernel data.\n");
  EXPECT_NE(skipped.error().message().find("no data of that kind"), std::string::npos);
}

TEST(NsysStats, an_absent_file_is_not_found) {
  EXPECT_EQ(read_nsys_stats("/nowhere.csv").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::trace
