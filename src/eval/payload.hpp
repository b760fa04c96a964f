#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "eval/input_set.hpp"
#include "eval/runner.hpp"
#include "model/io_contract.hpp"
#include "model/tree.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"
#include "tensor/widening.hpp"

namespace assay::eval {

/// A value of a Python kernel with its tensors' elements, on its way from one runner to another.
/// Whoever made it says how long the elements stay.
struct Payload {
  Tree tree;
  std::vector<std::span<const std::byte>> tensors;  // of the tree's tensors, in order
  std::vector<tensor::Bytes> own;                   // elements that nobody else holds
  bool made_on_device = false;                      // by a get_inputs
};

/// The arguments for a kernel that has no contract while the other kernel has one. They are all
/// arguments of the contract but the tensors that only take answers. Their elements are those of
/// `inputs`.
[[nodiscard]] Payload payload_of(const IoContract& contract, InputSet& inputs, std::uint64_t secret,
                                 int round);

/// The same value with numbers of another distribution. It owns the elements that differ.
[[nodiscard]] Payload transformed(const Payload& payload, const tensor::Distribution& distribution,
                                  std::uint64_t seed);

/// Whether one of its tensors would be widened.
[[nodiscard]] bool can_widen(const Payload& payload, tensor::Widening widening);

/// Whether both hold the same elements. Their trees are taken to be alike.
[[nodiscard]] bool same_elements(const Payload& a, const Payload& b);

/// The same value with other tensors, as tensor::vary makes them.
[[nodiscard]] Payload varied(const Payload& payload, std::uint64_t seed);

/// The same value with elements of its own.
[[nodiscard]] Payload copied(const Payload& payload);
/// The same, with tensors that are much like those of `before` where both have such tensors.
[[nodiscard]] Payload copied_like(const Payload& payload, const Payload& before,
                                  std::uint64_t seed);

}  // namespace assay::eval
