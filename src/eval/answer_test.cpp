#include "eval/answer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/tree.hpp"

namespace assay::eval {
namespace {

TEST(Answer, numbers_of_a_nested_value_are_named_as_python_would) {
  const std::array<std::byte, 4> element{};
  const Tree tree{SequenceNode{
      true, {{MappingNode{{"z", "a"}, {{2.5}, {TensorLeaf{.shape = {1}}}}}}, {std::int64_t{3}}}}};
  const Answer answer = answer_of(tree, {element});
  ASSERT_EQ(answer.views.size(), 3U);
  EXPECT_EQ(answer.views[0].name, "output[0]['a']");
  EXPECT_EQ(answer.views[0].bytes.size(), 4U);
  EXPECT_EQ(answer.views[1].name, "output[0]['z']");
  EXPECT_EQ(answer.views[1].dtype, DType::float64);
  EXPECT_EQ(answer.views[2].dtype, DType::int64);
}

TEST(Answer, elements_are_added_as_integers_of_their_size) {
  const std::array<std::byte, 4> four{std::byte{0xff}, std::byte{0xff}, std::byte{0x03},
                                      std::byte{0}};
  const auto tree_of = [](DType dtype, std::int64_t count) {
    return Tree{TensorLeaf{.shape = {count}, .dtype = dtype}};
  };
  EXPECT_EQ(sum_of_elements(tree_of(DType::boolean, 4), {four}), 1U);
  EXPECT_EQ(sum_of_elements(tree_of(DType::bfloat16, 2), {four}), 2U);
  EXPECT_EQ(sum_of_elements(tree_of(DType::float32, 1), {four}), 0x3ffffU);
  EXPECT_EQ(sum_of_elements(tree_of(DType::float64, 0), {{}}), 0U);
}

TEST(Answer, tensors_are_known_as_the_runner_listed_them) {
  const std::array<std::byte, 4> first{std::byte{1}};
  const std::array<std::byte, 8> second{std::byte{2}};
  const Tree tree{MappingNode{{"z", "b", "a"},
                              {{TensorLeaf{.shape = {1}}}, {2.5}, {TensorLeaf{.shape = {2}}}}}};
  const Answer answer = answer_of(tree, {first, second});
  ASSERT_EQ(answer.tensors.size(), 2U);
  EXPECT_EQ(answer.views[answer.tensors[0]].name, "output['z']");
  EXPECT_EQ(answer.views[answer.tensors[0]].bytes[0], std::byte{1});
  EXPECT_EQ(answer.views[answer.tensors[1]].name, "output['a']");
  EXPECT_EQ(KeptAnswer(answer).answer().tensors, answer.tensors);
  EXPECT_TRUE(answer_of(tree, {}).tensors.empty()) << "of the form alone";
}

TEST(Answer, one_filled_argument_is_like_one_returned_tensor) {
  const std::array<std::byte, 8> bytes{};
  const judge::OutputView view{.name = "out", .shape = {2}, .bytes = bytes};
  EXPECT_EQ(answer_of({view}).structure, "tensor");
  EXPECT_EQ(answer_of({view, view}).structure, "(tensor, tensor)");
}

TEST(Answer, kept_answer_survives_what_it_was_taken_from) {
  std::optional<KeptAnswer> kept;
  {
    std::array<std::byte, 4> bytes{std::byte{7}};
    kept.emplace(answer_of({SequenceNode{true, {{TensorLeaf{.shape = {1}}}, {1.5}}}}, {bytes}));
    bytes[0] = std::byte{9};
  }
  EXPECT_EQ(kept->answer().views[0].bytes[0], std::byte{7});
  double scalar = 0;
  std::memcpy(&scalar, kept->answer().views[1].bytes.data(), sizeof(scalar));
  EXPECT_EQ(scalar, 1.5);
}

}  // namespace
}  // namespace assay::eval
