#include "eval/answer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
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
    answer_.tensors.resize(tensors.size());
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
      add_tensor(name, *tensor);
    } else if (const auto* real = std::get_if<double>(&tree.value)) {
      add_scalar(name, DType::float64, *real);
    } else if (const auto* integer = std::get_if<std::int64_t>(&tree.value)) {
      add_scalar(name, DType::int64, *integer);
    } else if (const auto* truth = std::get_if<bool>(&tree.value)) {
      add_scalar(name, DType::boolean, *truth);
    }
  }

 private:
  void add_tensor(const std::string& name, const TensorLeaf& leaf) {
    judge::OutputView view{.name = name,
                           .shape = leaf.shape,
                           .dtype = leaf.dtype,
                           .bytes = {},
                           .is_input = leaf.is_input,
                           .is_array = leaf.is_array};
    const auto known = std::ranges::find(bytes_, &leaf, &Leaf::first);
    if (known != bytes_.end()) {
      view.bytes = known->second;
      answer_.tensors[static_cast<std::size_t>(known - bytes_.begin())] = answer_.views.size();
    }
    answer_.views.push_back(std::move(view));
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

  using Leaf = std::pair<const TensorLeaf*, std::span<const std::byte>>;

  Answer& answer_;
  std::vector<Leaf> bytes_;  // in the order of the tree
};

template <class Integer>
std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + sizeof(Integer) <= bytes.size(); i += sizeof(Integer)) {
    Integer element = 0;
    std::memcpy(&element, bytes.data() + i, sizeof(element));
    sum += static_cast<std::uint64_t>(std::int64_t{element});
  }
  return sum;
}

}  // namespace

Answer answer_of(std::vector<judge::OutputView> outputs) {
  SequenceNode all;
  for (const judge::OutputView& output : outputs) {
    all.items.push_back({TensorLeaf{.shape = output.shape, .dtype = output.dtype}});
  }
  const Tree tree = all.items.size() == 1 ? all.items.front() : Tree{all};
  Answer answer{.structure = structure_of(tree), .views = std::move(outputs)};
  answer.tensors.resize(answer.views.size());
  std::iota(answer.tensors.begin(), answer.tensors.end(), std::size_t{0});
  return answer;
}

Answer answer_of(const Tree& tree, const std::vector<std::span<const std::byte>>& tensors) {
  Answer answer{.structure = structure_of(tree), .views = {}};
  Flattening(answer, tree, tensors).walk(tree, "output");
  return answer;
}

std::uint64_t sum_of_elements(const Tree& tree,
                              const std::vector<std::span<const std::byte>>& tensors) {
  const auto leaves = tensors_of(tree);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < tensors.size() && i < leaves.size(); ++i) {
    switch (size_of(leaves[i]->dtype)) {
      case 1:
        sum += sum_of<std::int8_t>(tensors[i]);
        break;
      case 2:
        sum += sum_of<std::int16_t>(tensors[i]);
        break;
      case 4:
        sum += sum_of<std::int32_t>(tensors[i]);
        break;
      default:
        sum += sum_of<std::int64_t>(tensors[i]);
    }
  }
  return sum;
}

KeptAnswer::KeptAnswer(const Answer& answer)
    : answer_{.structure = answer.structure, .views = answer.views, .tensors = answer.tensors} {
  for (judge::OutputView& view : answer_.views) {
    view.bytes = copies_.emplace_back(view.bytes).span();
  }
}

}  // namespace assay::eval
