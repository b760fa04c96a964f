#include "eval/answer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/tree.hpp"

namespace assay::eval {
namespace {

/// Walks a tree and lists every tensor and number under the name a Python user would give it.
/// Mappings are listed in the order of their keys, so that two of them can be held side by side.
class Flattening {
 public:
  Flattening(Answer& answer, const Tree& tree,
             const std::vector<std::span<const std::byte>>& tensors)
      : answer_(answer) {
    const auto leaves = tensors_of(tree);
    for (std::size_t i = 0; i < tensors.size(); ++i) bytes_.emplace_back(leaves[i], tensors[i]);
  }

  void walk(const Tree& tree, const std::string& name) {
    if (const auto* sequence = std::get_if<SequenceNode>(&tree.value)) {
      for (std::size_t i = 0; i < sequence->items.size(); ++i) {
        walk(sequence->items[i], fmt::format("{}[{}]", name, i));
      }
    } else if (const auto* mapping = std::get_if<MappingNode>(&tree.value)) {
      for (const std::size_t i : sorted_positions(*mapping)) {
        walk(mapping->items[i], fmt::format("{}['{}']", name, mapping->keys[i]));
      }
    } else if (const auto* tensor = std::get_if<TensorLeaf>(&tree.value)) {
      answer_.views.push_back({.name = name,
                               .shape = tensor->shape,
                               .dtype = tensor->dtype,
                               .bytes = bytes_of(tensor),
                               .is_input = tensor->is_input});
    } else if (const auto* real = std::get_if<double>(&tree.value)) {
      add_scalar(name, DType::float64, *real);
    } else if (const auto* integer = std::get_if<std::int64_t>(&tree.value)) {
      add_scalar(name, DType::int64, *integer);
    } else if (const auto* truth = std::get_if<bool>(&tree.value)) {
      add_scalar(name, DType::boolean, *truth);
    }
  }

 private:
  [[nodiscard]] std::span<const std::byte> bytes_of(const TensorLeaf* leaf) const {
    for (const auto& [known, bytes] : bytes_) {
      if (known == leaf) return bytes;
    }
    return {};
  }

  template <class Number>
  void add_scalar(const std::string& name, DType dtype, Number value) {
    auto& storage = answer_.scalars.emplace_back();
    std::memcpy(storage.data(), &value, sizeof(value));
    answer_.views.push_back({.name = name,
                             .shape = {},
                             .dtype = dtype,
                             .bytes = std::span(storage).first(sizeof(value))});
  }

  Answer& answer_;
  std::vector<std::pair<const TensorLeaf*, std::span<const std::byte>>> bytes_;
};

}  // namespace

Answer answer_of(std::vector<judge::OutputView> outputs) {
  SequenceNode all;
  for (const judge::OutputView& output : outputs) {
    all.items.push_back({TensorLeaf{.shape = output.shape, .dtype = output.dtype}});
  }
  const Tree tree = all.items.size() == 1 ? all.items.front() : Tree{all};
  return {.structure = structure_of(tree), .views = std::move(outputs)};
}

Answer answer_of(const Tree& tree, const std::vector<std::span<const std::byte>>& tensors) {
  Answer answer{.structure = structure_of(tree), .views = {}};
  Flattening(answer, tree, tensors).walk(tree, "output");
  return answer;
}

KeptAnswer::KeptAnswer(const Answer& answer)
    : answer_{.structure = answer.structure, .views = answer.views} {
  for (judge::OutputView& view : answer_.views) {
    view.bytes = copies_.emplace_back(view.bytes).span();
  }
}

}  // namespace assay::eval
