#include "cli/forward_match.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/value.hpp"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;

constexpr const char* kModel = R"(
import torch
def helper(a, b): pass
class Model(torch.nn.Module):
    def __init__(self, size): pass
    def forward(self, x: torch.Tensor, scale: float = max(1, 2),
                bias=None):  # a comment, with a comma
        return x
)";

wire::Value contract(const std::string& args) {
  return wire::Value::parse(R"({"args":[)" + args + R"(],"launch":{"grid":[4]}})").value();
}

constexpr const char* kX = R"({"name":"x","type":"tensor","tensor_spec":{"shape":[8]}})";
constexpr const char* kW =
    R"({"name":"w","type":"tensor","role":"input","tensor_spec":{"shape":[8],"init":{"kind":"ones"}}})";
constexpr const char* kY =
    R"({"name":"y","type":"tensor","role":"output","tensor_spec":{"shape":[8]}})";
constexpr const char* kN = R"({"name":"n","type":"int","value":8})";

TEST(ForwardParameters, are_those_of_the_model_or_of_the_first_function) {
  EXPECT_EQ(forward_parameters({kModel}), (Names{"x", "scale", "bias"}));
  EXPECT_EQ(forward_parameters({"def f(a, b=(1, 2)):\n  return a"}), (Names{"a", "b"}));
}

TEST(ForwardParameters, are_unknown_where_the_text_does_not_name_them) {
  EXPECT_EQ(forward_parameters({"x = 1"}), std::nullopt);
  EXPECT_EQ(forward_parameters({"def f(*inputs): pass"}), std::nullopt);
}

TEST(MatchToForward, takes_arguments_by_name_in_the_order_of_forward) {
  const std::string args = std::string(kX) + "," + kW + "," + kY + "," + kN;
  const auto matched =
      match_to_forward(contract(args), {"class Model:\n  def forward(self, w, x, n): pass"})
          .value();
  const auto& reference = matched.model["args"].elements();
  ASSERT_EQ(reference.size(), 3U);
  EXPECT_EQ(reference[0]["name"].text(), "w");
  EXPECT_EQ(reference[1]["name"].text(), "x");
  EXPECT_EQ(reference[2]["value"].number(), 8);
  EXPECT_EQ(reference[1].dump(), matched.kernel["args"].elements()[0].dump());
  EXPECT_GT(reference[1]["tensor_spec"]["init"]["seed"].number(), 0);
  EXPECT_EQ(reference[0]["tensor_spec"]["init"]["kind"].text(), "ones");
  EXPECT_EQ(matched.kernel["launch"]["grid"].elements().size(), 1U);
}

TEST(MatchToForward, says_which_name_is_missing_on_which_side) {
  const auto absent = match_to_forward(contract(kX), {"def f(x, w): pass"});
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message(), HasSubstr("the contract has no 'w'"));
  const auto extra = match_to_forward(contract(std::string(kX) + "," + kW), {"def f(x): pass"});
  ASSERT_FALSE(extra);
  EXPECT_THAT(extra.error().message(), HasSubstr("`forward` does not take 'w'"));
  EXPECT_THAT(match_to_forward(contract(kX), {"x = 1"}).error().message(), HasSubstr("--ref-io"));
}

TEST(MatchToForward, of_a_candidate_it_is_the_new_model_that_counts) {
  const ModelSource source{.text =
                               "class Model:\n  def forward(self, x): pass\n"
                               "class ModelNew:\n  def forward(self, w): pass\n",
                           .is_reference = false};
  EXPECT_EQ(forward_parameters(source), (Names{"w"}));
  const auto refused = match_to_forward(contract(kX), source);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("`forward` takes w, the contract has the inputs "
                                                   "x. Give them the same names, or give the "
                                                   "candidate's contract with --io"));
}

TEST(MatchOwnContract, puts_arguments_in_order_and_shares_seeds_by_name) {
  const std::string w = R"({"name":"w","type":"tensor","tensor_spec":{"shape":[8]}})";
  const auto matched = match_own_contract(contract(std::string(kX) + "," + w + "," + kY),
                                          contract(w + "," + kX + "," + kY), {"def f(w, x): pass"})
                           .value();
  const auto& model = matched.model["args"].elements();
  const auto& kernel = matched.kernel["args"].elements();
  ASSERT_EQ(model.size(), 2U);
  EXPECT_EQ(model[0].dump(), kernel[0].dump());
  EXPECT_EQ(model[1].dump(), kernel[1].dump());
  EXPECT_GT(model[1]["tensor_spec"]["init"]["seed"].number(), 0);
}

TEST(MatchOwnContract, refuses_names_that_forward_does_not_have) {
  const auto refused = match_own_contract(contract(kX), contract(kX), {"def f(a): pass"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("`forward` takes a, the contract has the inputs x"));
}

TEST(MatchOwnContract, leaves_both_where_forward_takes_whatever_comes) {
  const auto left = match_own_contract(contract(kX), contract(kY), {"def f(*all): pass"}).value();
  EXPECT_EQ(left.model.dump(), contract(kX).dump());
  EXPECT_EQ(left.kernel.dump(), contract(kY).dump());
}

}  // namespace
}  // namespace assay::cli
