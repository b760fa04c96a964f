#include "judge/probes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/request.hpp"

namespace assay::judge {
namespace {

OutputView view(const std::vector<float>& values) {
  return {.name = "out",
          .shape = {static_cast<std::int64_t>(values.size())},
          .dtype = DType::float32,
          .bytes = std::as_bytes(std::span(values))};
}

constexpr Tolerance kLoose{.atol = 1e-2, .rtol = 1e-2};
constexpr Tolerance kTight{.atol = 1e-9, .rtol = 1e-6};
using Found = std::vector<Shortcut>;

TEST(Probes, zeros_pass_where_values_are_small_against_the_tolerance) {
  const std::vector<float> want = {1e-3F, -2e-3F, 3e-3F};
  EXPECT_EQ(passing_shortcuts(view(want), kLoose, {}),
            (Found{Shortcut::zeros, Shortcut::constant}));
  EXPECT_EQ(passing_shortcuts(view(want), kTight, {}), Found{});
}

TEST(Probes, a_copy_of_an_input_that_would_pass_is_found) {
  const std::vector<float> want = {1.0F, -2.0F, 3.0F};
  const std::vector<float> input = {1.001F, -2.001F, 3.001F};
  EXPECT_EQ(passing_shortcuts(view(want), kLoose, {view(input)}), Found{Shortcut::copy_of_input});
  EXPECT_EQ(passing_shortcuts(view(want), kTight, {view(input)}), Found{});
}

TEST(Probes, lower_precision_counts_only_where_it_changes_something) {
  const std::vector<float> whole = {1.0F, -2.0F, 3.0F};
  EXPECT_EQ(passing_shortcuts(view(whole), kLoose, {}), Found{});
  std::vector<float> fine(32);
  for (std::size_t i = 0; i < fine.size(); ++i) fine[i] = static_cast<float>(i) + 1.00001F;
  EXPECT_EQ(passing_shortcuts(view(fine), kLoose, {}), Found{Shortcut::lower_precision});
  fine.resize(3);
  EXPECT_EQ(passing_shortcuts(view(fine), kLoose, {}), Found{}) << "a few may be near by chance";
}

TEST(Probes, a_constant_is_no_answer_where_the_expected_ones_vary) {
  const std::vector<float> want = {1e-4F, -2e-4F, 3e-4F};
  const std::vector<float> zeros(3, 0.0F);
  EXPECT_TRUE(constant_complaint(view(zeros), view(want), 0));
  EXPECT_FALSE(constant_complaint(view(want), view(want), 0));
  EXPECT_FALSE(constant_complaint(view(zeros), view(zeros), 0));
  EXPECT_FALSE(constant_complaint(view(zeros), view(want), 1e-3)) << "all of it is noise";
}

TEST(Probes, one_number_is_constant_by_itself) {
  const std::vector<float> want = {0.5F};
  const std::vector<float> got = {0.5F};
  EXPECT_FALSE(constant_complaint(view(got), view(want), 0));
}

}  // namespace
}  // namespace assay::judge
