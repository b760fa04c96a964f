#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay {

struct Tree;

struct NoneLeaf {
  friend bool operator==(const NoneLeaf&, const NoneLeaf&) = default;
};
/// A tensor whose elements lie in an arena.
struct TensorLeaf {
  Shape shape;
  DType dtype = DType::float32;
  std::vector<std::uint32_t> order;   // of inputs: dimensions, the outermost first; empty: C order
  std::optional<std::size_t> offset;  // absent until the worker has laid out the arena
  bool is_input = false;              // of outputs: lies in the memory of an argument
  bool is_array = false;              // a numpy array

  [[nodiscard]] std::size_t byte_size() const { return element_count(shape) * size_of(dtype); }
  friend bool operator==(const TensorLeaf&, const TensorLeaf&) = default;
};
struct SequenceNode {
  bool is_tuple = false;
  std::vector<Tree> items;

  friend bool operator==(const SequenceNode&, const SequenceNode&) = default;
};
struct MappingNode {
  std::vector<std::string> keys;
  std::vector<Tree> items;  // as many

  friend bool operator==(const MappingNode&, const MappingNode&) = default;
};

/// A value that goes in or out of a Python kernel: tensors, scalars, and containers of them.
struct Tree {
  std::variant<NoneLeaf, bool, std::int64_t, double, std::string, TensorLeaf, SequenceNode,
               MappingNode>
      value;

  friend bool operator==(const Tree&, const Tree&) = default;
};

/// Every tensor, in the order both sides of the runner's protocol count them: depth first.
[[nodiscard]] std::vector<TensorLeaf*> tensors_of(Tree& tree);
[[nodiscard]] std::vector<const TensorLeaf*> tensors_of(const Tree& tree);

/// Positions of a mapping's items in the order of their keys. With it two mappings are equal even
/// if they were filled in different orders.
[[nodiscard]] std::vector<std::size_t> sorted_positions(const MappingNode& mapping);

/// The structure of a value without the values of tensors and scalars: "(tensor, {'mask': tensor,
/// 'scale': float})". Lists and tuples look alike, keys are sorted.
[[nodiscard]] std::string structure_of(const Tree& tree);

}  // namespace assay
