#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/summary.hpp"

namespace assay::trace {

// Private to ask_attention.cpp.

struct AttentionPart {
  std::uint64_t kernels = 0;
  std::int64_t time = 0;

  void add(std::uint64_t count, std::int64_t duration) {
    kernels += count;
    time += duration;
  }
};

/// Time of the operations inside attention, and how they were told apart.
struct AttentionParts {
  AttentionPart scores;
  AttentionPart softmax;
  AttentionPart values;
  AttentionPart matmul;  // scores and values, or all products where they are not apart
  AttentionPart fused;
  AttentionPart other;
  std::uint64_t calls = 0;
  std::string scope;                  // "inside 'attention'", "in the whole profile"
  std::string how;                    // "by the ranges inside it"
  std::vector<NamedSummary> kernels;  // all that it looked at; empty: see `how`

  [[nodiscard]] bool complete() const { return softmax.time > 0 && matmul.time > 0; }
};

/// Uses ranges whose names say attention. Inside them it tells parts apart by further ranges, or by
/// the classes of the kernels. `calls` is 0 where there is no such range.
[[nodiscard]] AttentionParts attention_by_ranges(Analysis& analysis, const AskOptions& options);

/// Uses PyTorch's operators: softmax, and the batched products that attention is made of. Linear
/// layers use other products.
[[nodiscard]] AttentionParts attention_by_operators(Analysis& analysis, const AskOptions& options);

/// By the order of kernels: the products nearest before and after each softmax of a stream.
[[nodiscard]] AttentionParts attention_by_order(Analysis& analysis, const AskOptions& options);

}  // namespace assay::trace
