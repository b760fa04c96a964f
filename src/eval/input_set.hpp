#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>

#include "model/io_contract.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"

namespace assay::eval {

/// The inputs of one round, made once and given to both kernels. We keep this copy, so that a
/// kernel that changes its inputs is found out.
class InputSet {
 public:
  /// Random numbers become those of `distribution`.
  explicit InputSet(const tensor::Distribution& distribution = {}) : distribution_(distribution) {}
  /// Random numbers are much like those of `before`, which must outlive this and hold the same
  /// tensors. `before` may be null.
  explicit InputSet(const InputSet* before) : before_(before) {}

  /// The bytes for `tensor` under `seed`; stay valid and unchanged as long as this lives. Equal
  /// tensors of the two kernels are the same bytes: what varies for the one varies for the other.
  [[nodiscard]] std::span<const std::byte> get(const TensorArg& tensor, std::uint64_t seed);

 private:
  struct Entry {
    const TensorArg* tensor;  // of the request, which outlives the evaluation
    std::uint64_t seed;
    tensor::Bytes bytes;
  };
  [[nodiscard]] const Entry* entry_at(std::size_t index) const;

  tensor::Distribution distribution_;
  const InputSet* before_ = nullptr;
  std::list<Entry> entries_;
};

/// The part of `distribution` that keeps to what the contract states. A kernel may rely on a range
/// or a mean that the contract gives. Its numbers then keep their size, and only their arrangement
/// changes.
[[nodiscard]] tensor::Distribution fitting(const IoContract& contract,
                                           const tensor::Distribution& distribution);

}  // namespace assay::eval
