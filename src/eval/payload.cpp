#include "eval/payload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "eval/buffers.hpp"
#include "eval/input_set.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/tree.hpp"
#include "tensor/arena.hpp"
#include "tensor/distribution.hpp"
#include "tensor/resemblance.hpp"
#include "tensor/variation.hpp"
#include "tensor/widening.hpp"

namespace assay::eval {
namespace {

constexpr tensor::Poison kZeros{{std::byte{0}, std::byte{0}}};

}  // namespace

Payload payload_of(const IoContract& contract, InputSet& inputs, std::uint64_t secret, int round) {
  const auto contents = contents_of(contract, inputs, secret, round);
  Payload payload;
  SequenceNode args;
  std::size_t next = 0;
  for (const Argument& argument : contract.args) {
    if (const auto* scalar = std::get_if<ScalarArg>(&argument.value)) {
      args.items.push_back(std::visit([](const auto& value) { return Tree{value}; }, *scalar));
      continue;
    }
    const auto& tensor = std::get<TensorArg>(argument.value);
    const auto content = contents[next++];
    if (tensor.role == Role::output) continue;
    args.items.push_back({TensorLeaf{.shape = tensor.shape, .dtype = tensor.dtype}});
    if (content.empty()) {  // what nobody specified is zero
      const auto zeros = payload.own.emplace_back(tensor.byte_size()).span();
      tensor::poison(zeros, kZeros);
      payload.tensors.emplace_back(zeros);
    } else {
      payload.tensors.push_back(content);
    }
  }
  payload.tree.value = std::move(args);
  return payload;
}

Payload transformed(const Payload& payload, const tensor::Distribution& distribution,
                    std::uint64_t seed) {
  Payload result{.tree = payload.tree, .tensors = payload.tensors};
  if (distribution.is_own()) return result;
  const auto leaves = tensors_of(payload.tree);
  result.own.reserve(leaves.size());  // spans look into them
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto given = payload.tensors[i];
    Shape shape = leaves[i]->shape;  // as it lies in memory
    if (!leaves[i]->order.empty()) {
      for (std::size_t d = 0; d < shape.size(); ++d)
        shape[d] = leaves[i]->shape[leaves[i]->order[d]];
    }
    const bool measures = tensor::is_measure(leaves[i]->dtype, shape, given);
    if (!measures && !tensor::is_widened(distribution.widening, leaves[i]->dtype, given)) continue;
    const auto own = result.own.emplace_back(given).span();
    if (measures) {
      tensor::transform(distribution, leaves[i]->dtype, shape, seed + i, own);
    } else {
      tensor::widen(leaves[i]->dtype, seed + i, own);
    }
    result.tensors[i] = own;
  }
  return result;
}

bool can_widen(const Payload& payload, tensor::Widening widening) {
  const auto leaves = tensors_of(payload.tree);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const DType dtype = leaves[i]->dtype;
    const auto given = payload.tensors[i];
    if (tensor::is_measure(dtype, leaves[i]->shape, given)
            ? widening == tensor::Widening::all && tensor::is_never_negative(dtype, given)
            : tensor::is_widened(widening, dtype, given)) {
      return true;
    }
  }
  return false;
}

bool same_elements(const Payload& a, const Payload& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](const auto& one, const auto& other) {
    return tensor::same_bytes(one, other);
  });
}

Payload varied(const Payload& payload, std::uint64_t seed) {
  Payload result = copied(payload);
  const auto leaves = tensors_of(payload.tree);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    tensor::vary(leaves[i]->dtype, leaves[i]->shape, seed + i, result.own[i].span());
  }
  return result;
}

Payload copied(const Payload& payload) {
  Payload result{.tree = payload.tree, .made_on_device = payload.made_on_device};
  for (const auto& tensor : payload.tensors) {
    result.tensors.push_back(result.own.emplace_back(tensor).span());
  }
  return result;
}

Payload copied_like(const Payload& payload, const Payload& before, std::uint64_t seed) {
  Payload result = copied(payload);
  if (payload.tree != before.tree) return result;
  const auto leaves = tensors_of(payload.tree);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    tensor::resemble(leaves[i]->dtype, leaves[i]->shape, seed + i, before.tensors[i],
                     result.own[i].span());
  }
  return result;
}

}  // namespace assay::eval
