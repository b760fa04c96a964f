#include "model/tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace assay {
namespace {

template <class AnyTree, class Leaf>
void collect(AnyTree& tree, std::vector<Leaf*>& into) {
  if (auto* leaf = std::get_if<TensorLeaf>(&tree.value)) into.push_back(leaf);
  if (auto* sequence = std::get_if<SequenceNode>(&tree.value)) {
    for (auto& item : sequence->items) collect(item, into);
  }
  if (auto* mapping = std::get_if<MappingNode>(&tree.value)) {
    for (auto& item : mapping->items) collect(item, into);
  }
}

struct Structure {
  std::string operator()(NoneLeaf) const { return "None"; }
  std::string operator()(bool) const { return "bool"; }
  std::string operator()(std::int64_t) const { return "int"; }
  std::string operator()(double) const { return "float"; }
  std::string operator()(const std::string& text) const { return "'" + text + "'"; }
  std::string operator()(const TensorLeaf&) const { return "tensor"; }
  std::string operator()(const SequenceNode& node) const {
    std::string text;
    for (const Tree& item : node.items) {
      text += (text.empty() ? "" : ", ") + structure_of(item);
    }
    return "(" + text + ")";
  }
  std::string operator()(const MappingNode& node) const {
    std::string text;
    for (const std::size_t i : sorted_positions(node)) {
      text += (text.empty() ? "'" : ", '") + node.keys[i] + "': " + structure_of(node.items[i]);
    }
    return "{" + text + "}";
  }
};

}  // namespace

std::vector<TensorLeaf*> tensors_of(Tree& tree) {
  std::vector<TensorLeaf*> leaves;
  collect(tree, leaves);
  return leaves;
}

std::vector<const TensorLeaf*> tensors_of(const Tree& tree) {
  std::vector<const TensorLeaf*> leaves;
  collect(tree, leaves);
  return leaves;
}

std::vector<std::size_t> sorted_positions(const MappingNode& mapping) {
  std::vector<std::size_t> order(mapping.keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return mapping.keys[i]; });
  return order;
}

std::string structure_of(const Tree& tree) {
  return std::visit(Structure{}, tree.value);
}

}  // namespace assay
