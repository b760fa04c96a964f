#include "eval/input_set.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <variant>

#include "model/io_contract.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"
#include "tensor/generate.hpp"
#include "tensor/resemblance.hpp"

namespace assay::eval {
namespace {

/// Whether two contents of one kind are the same numbers, given the same seed.
struct SameNumbers {
  bool operator()(const Randn& a, const Randn& b) const {
    return a.mean == b.mean && a.std == b.std;
  }
  bool operator()(const Uniform& a, const Uniform& b) const {
    return a.low == b.low && a.high == b.high;
  }
  bool operator()(const Full& a, const Full& b) const { return a.value == b.value; }
  bool operator()(const Arange& a, const Arange& b) const {
    return a.start == b.start && a.step == b.step;
  }
  bool operator()(const Literal& a, const Literal& b) const { return a.bytes == b.bytes; }
  template <class A, class B>
  bool operator()(const A& /*a*/, const B& /*b*/) const {
    return false;
  }
};

bool is_random(const TensorContent& content) {
  return std::holds_alternative<Randn>(content) || std::holds_alternative<Uniform>(content);
}

bool states_its_numbers(const Argument& argument) {
  const auto* tensor = std::get_if<TensorArg>(&argument.value);
  if (tensor == nullptr) return false;
  const auto* randn = std::get_if<Randn>(&tensor->content);
  return std::holds_alternative<Uniform>(tensor->content) ||
         (randn != nullptr && (randn->mean != 0 || randn->std != 1));
}

}  // namespace

tensor::Distribution fitting(const IoContract& contract, const tensor::Distribution& distribution) {
  if (std::ranges::none_of(contract.args, states_its_numbers)) return distribution;
  const bool sorted = distribution.pattern == tensor::Pattern::sorted;
  return {.pattern = sorted ? tensor::Pattern::sorted : tensor::Pattern::near_rows,
          .spread = tensor::Spread::own};
}

std::span<const std::byte> InputSet::get(const TensorArg& tensor, std::uint64_t seed) {
  for (const Entry& entry : entries_) {
    if (entry.seed == seed && entry.tensor->dtype == tensor.dtype &&
        entry.tensor->shape == tensor.shape &&
        std::visit(SameNumbers(), entry.tensor->content, tensor.content)) {
      return entry.bytes.span();
    }
  }
  Entry& entry = entries_.emplace_back(&tensor, seed, tensor::Bytes(tensor.byte_size()));
  const auto bytes = entry.bytes.span();
  tensor::generate(tensor, seed, bytes);
  if (!distribution_.is_own() && is_random(tensor.content) &&
      tensor::is_measure(tensor.dtype, tensor.shape, bytes)) {
    tensor::transform(distribution_, tensor.dtype, tensor.shape, seed, bytes);
  }
  const Entry* const before = before_ == nullptr ? nullptr : before_->entry_at(entries_.size() - 1);
  if (before != nullptr && before->tensor->dtype == tensor.dtype && is_random(tensor.content)) {
    tensor::resemble(tensor.dtype, tensor.shape, seed, before->bytes.span(), bytes);
  }
  return bytes;
}

const InputSet::Entry* InputSet::entry_at(std::size_t index) const {
  return index < entries_.size() ? &*std::next(entries_.begin(), static_cast<long>(index))
                                 : nullptr;
}

}  // namespace assay::eval
