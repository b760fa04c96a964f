#include "model/tree.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

Tree tensor(std::int64_t extent) {
  return {TensorLeaf{.shape = {extent}}};
}

TEST(Tree, tensors_are_counted_depth_first) {
  Tree tree{
      SequenceNode{.items = {tensor(1),
                             {MappingNode{.keys = {"b", "a"}, .items = {tensor(2), tensor(3)}}},
                             {std::int64_t{7}},
                             tensor(4)}}};
  std::vector<std::int64_t> extents;
  for (const TensorLeaf* leaf : tensors_of(tree)) extents.push_back(leaf->shape[0]);
  EXPECT_EQ(extents, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(Tree, structure_ignores_the_order_of_keys_and_the_kind_of_sequence) {
  const Tree one{MappingNode{
      .keys = {"b", "a"},
      .items = {tensor(2), {SequenceNode{.is_tuple = true, .items = {{2.5}, {true}}}}}}};
  const Tree other{MappingNode{
      .keys = {"a", "b"},
      .items = {{SequenceNode{.is_tuple = false, .items = {{0.5}, {false}}}}, tensor(9)}}};
  EXPECT_EQ(structure_of(one), "{'a': (float, bool), 'b': tensor}");
  EXPECT_EQ(structure_of(one), structure_of(other));
}

TEST(Tree, none_and_text_are_part_of_the_structure) {
  EXPECT_EQ(structure_of({SequenceNode{true, {{NoneLeaf{}}, {std::string("x")}}}}), "(None, 'x')");
  EXPECT_NE(structure_of({NoneLeaf{}}), structure_of({SequenceNode{}}));
}

}  // namespace
}  // namespace assay
