#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace assay::trace {

/// The shape of one call of self-attention.
struct AttentionShape {
  std::uint64_t batch = 0;
  std::uint64_t heads = 0;    // of queries
  std::uint64_t queries = 0;  // tokens
  std::uint64_t keys = 0;     // tokens; those of the queries where attention is to itself
  std::uint64_t head_dim = 0;
};

/// Operations of one call when every score is computed, masked or not: a multiply-add is two.
struct AttentionFlops {
  std::uint64_t scores = 0;   // Q times K transposed: 2 b h q k d
  std::uint64_t softmax = 0;  // 5 b h q k: find the largest, subtract, exponentiate, add, divide
  std::uint64_t values = 0;   // the weights times V: 2 b h q k d

  [[nodiscard]] std::uint64_t matmul() const { return scores + values; }
};

[[nodiscard]] AttentionFlops attention_flops(const AttentionShape& shape);

/// Reads "batch=4,heads=12,seq=512,head_dim=64", and `keys=` if keys are not the queries' tokens.
/// Fails with `invalid_argument` on an unknown part, a missing part, a zero, and numbers so large
/// that the operations could not be counted.
[[nodiscard]] Result<AttentionShape> parse_attention_shape(std::string_view text);

}  // namespace assay::trace
