// `assay diff` holds like against like: a launch, an iteration or a range, and says which.
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <ios>
#include <string>

#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/trace_commands_testkit.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/ncu/rep_fixture.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/sample_report.hpp"

namespace assay::cli {
namespace {

class TraceCompare : public testing::Test {
 protected:
  /// A report of launches of one kernel that took so long each.
  static void counters(const std::string& file, const std::string& kernel,
                       std::initializer_list<double> microseconds) {
    trace::NcuReport report = trace::testing::sample_report();
    const trace::NcuLaunch model = report.launches.at(1);
    report.launches.clear();
    for (const double took : microseconds) {
      trace::NcuLaunch launch = model;
      launch.id = report.launches.size();
      launch.name = kernel;
      launch.function = kernel;
      for (trace::NcuMetric& metric : launch.metrics) {
        if (metric.name == "gpu__time_duration.sum") metric.value = took * 1000;
      }
      report.launches.push_back(launch);
    }
    std::ofstream(file, std::ios::binary) << trace::testing::write_ncu_rep(report);
  }

  /// A program without ranges that launches `kernel` so often, of so many nanoseconds.
  static void launches(const std::string& file, const std::string& kernel, int count,
                       std::int64_t duration) {
    trace::NsysFixture fixture;
    for (std::int64_t i = 0; i < count; ++i) {
      fixture.launch({.call_start = i * 10'000,
                      .call_end = i * 10'000 + 100,
                      .start = i * 10'000 + 500,
                      .end = i * 10'000 + 500 + duration,
                      .name = kernel});
    }
    fixture.write(file);
  }

  static void steps(const std::string& file, int count, double scale) {
    trace::NsysFixture fixture;
    trace::add_demo(fixture, {.steps = count, .gemm_scale = scale});
    fixture.write(file);
  }

  DemoFolder folder_;
};

TEST_F(TraceCompare, reports_of_counters_are_compared_by_launch) {
  counters("a.ncu-rep", "k", {526.6, 526.6, 526.6});
  counters("b.ncu-rep", "k", {407.5, 407.5, 407.5, 407.5});
  const CommandRun run = run_command({"diff", "a.ncu-rep", "b.ncu-rep"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("A launch took 526.6 us before and takes 407.5 us (-22.6%)"),
            std::string::npos)
      << run.output;
  EXPECT_EQ(run.output.find("+3.2"), std::string::npos);
  EXPECT_EQ(run_command({"diff", "a.ncu-rep", "b.ncu-rep", "--fail-if", "kernel_time > +1%"}).code,
            kSuccess);
  EXPECT_EQ(run_command({"diff", "b.ncu-rep", "a.ncu-rep", "--fail-if", "kernel_time > +20%"}).code,
            kRejected);
}

TEST_F(TraceCompare, a_renamed_kernel_of_counters_is_suggested_and_matched) {
  counters("a.ncu-rep", "old_kernel", {100});
  counters("b.ncu-rep", "new_kernel", {50});
  const CommandRun apart = run_command({"diff", "a.ncu-rep", "b.ncu-rep"});
  EXPECT_NE(apart.output.find("'old_kernel=new_kernel'"), std::string::npos) << apart.output;
  EXPECT_EQ(run_command({"diff", "a.ncu-rep", "b.ncu-rep", "--fail-if", "kernel_time > +5%"}).code,
            kUsage)
      << "nothing in common cannot be judged";
  const CommandRun matched =
      run_command({"diff", "a.ncu-rep", "b.ncu-rep", "--match", "old_kernel=new_kernel"});
  EXPECT_NE(matched.output.find("(-50.0%)"), std::string::npos) << matched.output;
  EXPECT_EQ(run_command({"diff", "a.ncu-rep", "b.ncu-rep", "--match", "x=y"}).code, kUsage);
  EXPECT_EQ(run_command({"diff", "a.ncu-rep", "b.ncu-rep", "--match", "x"}).code, kUsage);
}

TEST_F(TraceCompare, runs_of_different_length_are_compared_by_iteration) {
  steps("short.sqlite", 3, 1);
  steps("long.sqlite", 9, 1);
  const CommandRun same = run_command({"diff", "short.sqlite", "long.sqlite"});
  EXPECT_NE(same.output.find("Kernel time of an iteration"), std::string::npos) << same.output;
  EXPECT_NE(same.output.find("(+0.0%)"), std::string::npos) << same.output;
  EXPECT_EQ(
      run_command({"diff", "short.sqlite", "long.sqlite", "--fail-if", "kernel_time > +5%"}).code,
      kSuccess);
  EXPECT_EQ(run_command({"diff", "short.sqlite", "long.sqlite", "--fail-if", "kernel_time > +5%",
                         "--per", "total"})
                .code,
            kRejected);
  steps("slower_long.sqlite", 9, 1.2);
  EXPECT_EQ(
      run_command({"diff", "short.sqlite", "slower_long.sqlite", "--fail-if", "kernel_time > +5%"})
          .code,
      kRejected);
}

TEST_F(TraceCompare, runs_without_a_loop_are_compared_by_launch) {
  launches("three.sqlite", "k", 3, 5000);
  launches("four.sqlite", "k", 4, 4000);
  const CommandRun run = run_command({"diff", "three.sqlite", "four.sqlite"});
  EXPECT_NE(run.output.find("Kernel time of a launch went from 5.000 us to 4.000 us (-20.0%)"),
            std::string::npos)
      << run.output;
  const CommandRun gate =
      run_command({"diff", "three.sqlite", "four.sqlite", "--fail-if", "gpu_busy > +5%"});
  EXPECT_EQ(gate.code, kUsage) << "totals of runs of different length are not alike";
  EXPECT_NE(gate.errors.find("different length"), std::string::npos) << gate.errors;
}

TEST_F(TraceCompare, a_range_that_both_have_can_be_compared) {
  const CommandRun run =
      run_command({"diff", "train.sqlite", "slower.sqlite", "--range", "forward"});
  EXPECT_EQ(run.code, kSuccess) << run.errors;
  EXPECT_NE(run.output.find("One 'forward' is held against another, 3 in A and 3 in B"),
            std::string::npos)
      << run.output;
  EXPECT_EQ(run_command({"diff", "train.sqlite", "slower.sqlite", "--range", "nowhere"}).code,
            kUsage);
}

TEST_F(TraceCompare, warm_up_is_left_out_of_a_range_that_is_compared) {
  const auto passes = [](const char* file, std::int64_t first) {
    trace::NsysFixture fixture;
    std::int64_t at = 0;
    for (const std::int64_t took : {first, std::int64_t{100}, std::int64_t{100}}) {
      fixture.range({.start = at, .end = at + took + 20, .name = "forward"});
      fixture.launch({.call_start = at + 1,
                      .call_end = at + 2,
                      .start = at + 3,
                      .end = at + 3 + took,
                      .name = "k"});
      at += took + 1000;
    }
    fixture.write(file);
  };
  passes("cold.sqlite", 900);
  passes("warm.sqlite", 100);
  const CommandRun run = run_command({"diff", "cold.sqlite", "warm.sqlite", "--range", "forward"});
  EXPECT_NE(run.output.find("(+0.0%)"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("2 in A and 3 in B; warm-up is"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("0 ns   240 ns   360 ns        2        3     120 ns     120 ns"),
            std::string::npos)
      << "the ranges too are without it: " << run.output;
}

TEST_F(TraceCompare, a_renamed_kernel_is_suggested_by_its_grid_and_matched) {
  launches("a.sqlite", "old_kernel", 4, 5000);
  launches("b.sqlite", "new_kernel", 4, 2500);
  const CommandRun apart = run_command({"diff", "a.sqlite", "b.sqlite"});
  EXPECT_NE(apart.output.find("'old_kernel=new_kernel'"), std::string::npos) << apart.output;
  const CommandRun matched =
      run_command({"diff", "a.sqlite", "b.sqlite", "--match", "old_*=new_kernel"});
  EXPECT_NE(matched.output.find("1 faster"), std::string::npos) << matched.output;
}

}  // namespace
}  // namespace assay::cli
