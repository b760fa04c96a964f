#include "metrics/ncu_command.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::metrics {
namespace {

using ::testing::Contains;
using ::testing::Not;

NcuRun run_of(MetricsWanted wanted) {
  return {.ncu = "/opt/ncu",
          .wanted = std::move(wanted),
          .range = "request_7_custom",
          .report = "/r/report.ncu-rep",
          .log_file = "/r/ncu.log"};
}

std::string after(const std::vector<std::string>& argv, const std::string& option) {
  const auto found = std::ranges::find(argv, option);
  return found == argv.end() || found + 1 == argv.end() ? "" : *(found + 1);
}

TEST(NcuCommand, states_range_replay_caches_and_clocks) {
  const auto argv = ncu_command(run_of({}));
  EXPECT_EQ(argv.front(), "/opt/ncu");
  EXPECT_EQ(after(argv, "--target-processes"), "all");
  EXPECT_EQ(after(argv, "--nvtx-include"), "request_7_custom");
  EXPECT_EQ(after(argv, "--replay-mode"), "kernel");
  EXPECT_EQ(after(argv, "--cache-control"), "all");
  EXPECT_EQ(after(argv, "--clock-control"), "none");
  EXPECT_EQ(after(argv, "--export"), "/r/report.ncu-rep");
  EXPECT_EQ(after(argv, "--log-file"), "/r/ncu.log");
}

TEST(NcuCommand, collects_the_usual_sections_where_nothing_is_named) {
  const auto argv = ncu_command(run_of({}));
  EXPECT_EQ(std::ranges::count(argv, "--section"),
            static_cast<std::ptrdiff_t>(usual_sections().size()));
  EXPECT_THAT(argv, Contains("SpeedOfLight"));
  EXPECT_THAT(argv, Not(Contains("--set")));
}

TEST(NcuCommand, collects_what_is_named_and_nothing_else) {
  const auto argv = ncu_command(run_of(
      {.sets = {"full", "speed-of-light"}, .sections = {"Occupancy"}, .metrics = {"a.sum", "b"}}));
  EXPECT_EQ(after(argv, "--set"), "full");
  EXPECT_EQ(after(argv, "--metrics"), "a.sum,b");
  EXPECT_EQ(after(argv, "--section"), "SpeedOfLight");  // what others call a set
  EXPECT_THAT(argv, Contains("Occupancy"));
  EXPECT_THAT(argv, Not(Contains("WarpStateStats")));
}

TEST(NcuCommand, profiles_chosen_kernels_alone) {
  NcuRun run = run_of({});
  EXPECT_THAT(ncu_command(run), Not(Contains("--kernel-name")));
  EXPECT_EQ(after(ncu_command(run), "--launch-count"), "64");
  run.kernels = "^(gemm|copy)$";
  EXPECT_EQ(after(ncu_command(run), "--kernel-name"), "regex:^(gemm|copy)$");
  EXPECT_EQ(after(ncu_command(run), "--kernel-name-base"), "function");
  run.first_of_each_grid = true;
  EXPECT_EQ(after(ncu_command(run), "--filter-mode"), "per-launch-config");
  EXPECT_EQ(after(ncu_command(run), "--launch-count"), "1");
}

TEST(ProfilerName, cannot_be_an_option_or_an_expression) {
  EXPECT_TRUE(is_profiler_name("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
  EXPECT_TRUE(is_profiler_name("speed-of-light"));
  for (const char* name : {"", "--set", "-o", "../x", "a b", "a,b", "regex:.*", "group:x"}) {
    EXPECT_FALSE(is_profiler_name(name)) << name;
  }
}

}  // namespace
}  // namespace assay::metrics
