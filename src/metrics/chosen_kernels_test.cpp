#include "metrics/chosen_kernels.hpp"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/kernel_choice.hpp"
#include "model/timing_summary.hpp"

namespace assay::metrics {
namespace {

using ::testing::HasSubstr;

TimingSummary timing() {
  TimingSummary summary;
  summary.kernel_time =
      KernelTime{.kernels = {{.name = "void ns::gemm<float, 4>(float*)", .share = 0.7},
                             {.name = "gemm_small(int)", .share = 0.26},
                             {.name = "[memset]", .share = 0.04}}};
  return summary;
}

TEST(ChosenKernels, a_name_is_left_to_the_profiler) {
  EXPECT_EQ(choose_kernels({.name = "gemm"}, timing()).expression, "gemm");
  EXPECT_EQ(choose_kernels({.first_of_each_grid = true}, timing()).expression, "");
}

TEST(ChosenKernels, a_share_becomes_the_names_that_have_it) {
  EXPECT_EQ(choose_kernels({.share = 0.5}, timing()).expression, "^(gemm)$");
  EXPECT_EQ(choose_kernels({.share = 0.2}, timing()).expression, "^(gemm|gemm_small)$");
  EXPECT_EQ(choose_kernels({.name = "small", .share = 0.2}, timing()).expression, "^(gemm_small)$");
}

TEST(ChosenKernels, says_what_there_is_where_none_is_chosen) {
  const auto chosen = choose_kernels({.name = "conv", .share = 0.2}, timing());
  EXPECT_THAT(chosen.none.value(), HasSubstr("gemm (70.0 %), gemm_small (26.0 %)"));
}

TEST(ChosenKernels, takes_all_where_shares_are_not_known) {
  EXPECT_EQ(choose_kernels({.share = 0.5}, std::nullopt).expression, "");
  EXPECT_EQ(choose_kernels({.name = "a", .share = 0.5}, TimingSummary{}).expression, "a");
}

TEST(ChosenKernels, are_told_in_words) {
  EXPECT_EQ(describe(KernelChoice{}), "");
  EXPECT_EQ(describe(KernelChoice{.name = "gemm", .share = 0.05}),
            "launches of kernels whose name has 'gemm' in it and that take 5 % of the call's time "
            "or more");
  EXPECT_EQ(describe(KernelChoice{.first_of_each_grid = true}),
            "the first launch of each grid, of kernels of any name");
}

}  // namespace
}  // namespace assay::metrics
