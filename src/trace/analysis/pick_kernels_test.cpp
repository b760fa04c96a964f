#include "trace/analysis/pick_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/events/demo_fixture.hpp"
#include "trace/events/events.hpp"
#include "trace/events/kineto.hpp"
#include "trace/events/nsys_fixture.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

PickPlan pick(const NsysFixture& fixture, std::size_t count, std::string_view range = "") {
  const Trace trace = read_nsys_sqlite(fixture.image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  return pick_kernels(analysis, count, range, RangeRule::both).value();
}

std::string argument_of(const std::vector<std::string>& argv, std::string_view option) {
  const auto at = std::ranges::find(argv, option);
  return at == argv.end() || at + 1 == argv.end() ? "" : *(at + 1);
}

TEST(PickKernels, takes_those_with_the_most_time) {
  NsysFixture fixture;
  add_demo(fixture);
  const PickPlan plan = pick(fixture, 2);
  ASSERT_EQ(plan.picks.size(), 2U);
  EXPECT_EQ(plan.picks[0].name, "ampere_sgemm_128x64_nn");
  EXPECT_EQ(plan.picks[1].name, "ampere_sgemm_128x64_tn");
  EXPECT_EQ(plan.picks[0].op_class, "gemm");
}

TEST(PickKernels, hands_ncu_no_kernel_that_waits_for_other_gpus) {
  NsysFixture fixture;
  add_demo(fixture);
  const PickPlan plan = pick(fixture, 100);
  for (const KernelPick& one : plan.picks) EXPECT_NE(one.op_class, "communication") << one.name;
  EXPECT_NE(plan.caution.find("ncclDevKernel"), std::string::npos) << plan.caution;
  EXPECT_NE(ncu_script(plan).find("# Kernels that communicate are left out"), std::string::npos);
}

TEST(PickKernels, has_ncu_filter_by_no_annotation_of_pytorch) {
  const Trace trace = parse_kineto(demo_kineto()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  const PickPlan plan = pick_kernels(analysis, 1, "ProfilerStep", RangeRule::both).value();
  EXPECT_EQ(plan.picks.at(0).nvtx_include, "") << "ncu would see no such range, and no launch";
  EXPECT_NE(ncu_script(plan).find("# PyTorch's profiler may have begun"), std::string::npos);
  EXPECT_NE(ncu_yaml(plan).find("\ncaution: "), std::string::npos);
}

TEST(PickKernels, say_that_ncu_profiles_no_gpu_of_amd) {
  NsysFixture fixture;
  fixture.call({.start = 1, .end = 2, .name = "hipLaunchKernel", .correlation = 1});
  fixture.kernel({.start = 3, .end = 9, .name = "Cijk_Alik", .correlation = 1});
  EXPECT_NE(pick(fixture, 1).caution.find("GPUs of AMD"), std::string::npos);
}

TEST(PickKernels, skips_the_warm_up_to_a_launch_like_the_median) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::int64_t took = i < 6 ? 900 : 100;
    fixture.launch({.call_start = i * 1000,
                    .call_end = i * 1000 + 5,
                    .start = i * 1000 + 10,
                    .end = i * 1000 + 10 + took,
                    .name = "k"});
  }
  const KernelPick picked = pick(fixture, 1).picks.at(0);
  EXPECT_EQ(picked.launch_skip, 6U);
  EXPECT_EQ(picked.duration, 100);
  EXPECT_EQ(picked.launch_count, 1U);
  EXPECT_NE(picked.why.find("they differ"), std::string::npos);
}

TEST(PickKernels, shares_are_of_all_processes_and_fall) {
  // Two ranks run a, one of them b: a takes more time than b in all.
  NsysFixture fixture;
  const auto launch = [&](std::int64_t at, std::uint64_t pid, const char* name, std::int64_t took) {
    fixture.launch({.call_start = at,
                    .call_end = at + 1,
                    .start = at + 2,
                    .end = at + 2 + took,
                    .name = name,
                    .pid = pid,
                    .tid = pid});
  };
  for (std::int64_t i = 0; i < 4; ++i) {
    launch(i * 1000, 100, "a", 80);
    launch(i * 1000, 200, "a", 80);
    launch(i * 1000 + 500, 200, "b", 140);
  }
  const PickPlan plan = pick(fixture, 2);
  ASSERT_EQ(plan.picks.size(), 2U);
  EXPECT_EQ(plan.picks[0].name, "a");
  EXPECT_EQ(plan.picks[0].count, 8U);
  EXPECT_DOUBLE_EQ(plan.picks[0].time_pct, 53.3);
  EXPECT_DOUBLE_EQ(plan.picks[1].time_pct, 46.7);
  EXPECT_LT(plan.picks[0].launch_skip, 4U) << "counted in one process";
}

TEST(PickKernels, takes_the_grid_that_holds_the_time_and_counts_as_ncu_will) {
  // One grid with a fifth of the launches and most of the time, between launches of others.
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 50; ++i) {
    const bool large = i % 5 == 4;
    fixture.launch({.call_start = i * 1000,
                    .call_end = i * 1000 + 5,
                    .start = i * 1000 + 10,
                    .end = i * 1000 + 10 + (large ? 900 : 40),
                    .name = "k",
                    .shape = {.grid = {large ? 512U : 8U + static_cast<std::uint32_t>(i % 5), 1, 1},
                              .block = {128, 1, 1}}});
  }
  const KernelPick picked = pick(fixture, 1).picks.at(0);
  EXPECT_EQ(picked.shape.grid[0], 512U);
  EXPECT_EQ(picked.count, 10U);
  EXPECT_GT(picked.of_kernel_pct, 80);
  EXPECT_EQ(picked.duration, 900);
  EXPECT_EQ(picked.launch_skip % 5, 4U) << "counted over all launches of the name";
}

TEST(PickKernels, takes_several_grids_where_one_holds_less_than_half) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 30; ++i) {
    fixture.launch({.call_start = i * 1000,
                    .call_end = i * 1000 + 5,
                    .start = i * 1000 + 10,
                    .end = i * 1000 + 110,
                    .name = "k",
                    .shape = {.grid = {1U + static_cast<std::uint32_t>(i % 3), 1, 1}}});
  }
  const PickPlan plan = pick(fixture, 1);
  ASSERT_EQ(plan.picks.size(), 2U);
  EXPECT_EQ(plan.picks[1].rank, 1U);
  EXPECT_EQ(plan.picks[1].grid_rank, 2U);
  EXPECT_EQ(argument_of(ncu_command(plan, plan.picks[1]), "--export"), "kernel_01_2");
}

TEST(PickKernels, names_the_whole_path_of_ranges_and_counts_inside_it) {
  NsysFixture fixture;
  add_demo(fixture);
  const KernelPick inside = pick(fixture, 1, "final matmul").picks.at(0);
  EXPECT_EQ(inside.nvtx_include, "[step 0/forward/scaled_dot_product_attention/final matmul");
  EXPECT_EQ(inside.count, 6U);
  EXPECT_EQ(inside.launch_skip, 0U);
}

TEST(PickKernels, leaves_out_launches_of_warm_up) {
  NsysFixture fixture;
  for (std::int64_t i = 0; i < 8; ++i) {
    fixture.launch({.call_start = i * 1000,
                    .call_end = i * 1000 + 5,
                    .start = i * 1000 + 10,
                    .end = i * 1000 + 110,
                    .name = "k"});
  }
  fixture.range({.start = 0, .end = 3500, .name = "Warm-up"});
  EXPECT_EQ(pick(fixture, 1).picks.at(0).launch_skip, 4U);
}

TEST(PickKernels, leaves_out_the_filter_for_kernels_of_another_thread) {
  NsysFixture fixture;
  add_demo(fixture);
  const KernelPick picked = pick(fixture, 1, "backward").picks.at(0);
  EXPECT_EQ(picked.name, "ampere_sgemm_128x64_nn");
  EXPECT_TRUE(picked.nvtx_include.empty());
}

TEST(PickKernels, of_a_range_that_is_not_there_fails) {
  const Trace trace = read_nsys_sqlite(NsysFixture().image()).value();
  const OpClassifier classifier;
  Analysis analysis(trace, classifier);
  EXPECT_EQ(pick_kernels(analysis, 3, "nowhere", RangeRule::both).error().code(),
            ErrorCode::not_found);
  EXPECT_TRUE(pick_kernels(analysis, 3, "", RangeRule::both).value().picks.empty());
}

TEST(NcuCommand, names_the_kernel_and_the_launch_exactly) {
  NsysFixture fixture;
  fixture.launch(
      {.call_start = 0, .call_end = 1, .start = 2, .end = 9, .name = "void f<(int)4>(int *)"});
  fixture.command({"python", "train.py", "--name", "it's"});
  const PickPlan plan = pick(fixture, 1);
  const auto argv = ncu_command(plan, plan.picks.at(0));
  EXPECT_EQ(argument_of(argv, "--kernel-name"), "regex:\\bf(<|\\(|$)");
  EXPECT_EQ(argument_of(argv, "--kernel-name-base"), "demangled");
  EXPECT_EQ(argument_of(argv, "--launch-skip"), "0");
  EXPECT_EQ(argument_of(argv, "--launch-count"), "1");
  EXPECT_EQ(argv.back(), "it's");
  EXPECT_NE(shell_line(argv).find("'it'\\''s'"), std::string::npos);
}

TEST(NcuScript, says_so_where_the_program_is_not_known) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 5, .name = "k"});
  EXPECT_NE(ncu_script(pick(fixture, 1)).find("YOUR_PROGRAM"), std::string::npos);
}

TEST(NcuYaml, quotes_what_yaml_would_misread) {
  NsysFixture fixture;
  fixture.kernel({.start = 0, .end = 5, .name = "k: \"x\" # y"});
  const std::string yaml = ncu_yaml(pick(fixture, 1));
  EXPECT_NE(yaml.find(R"(name: "k: \"x\" # y")"), std::string::npos);
  EXPECT_NE(yaml.find("launch_skip: 0"), std::string::npos);
}

}  // namespace
}  // namespace assay::trace
