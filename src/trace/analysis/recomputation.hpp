#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/events/events.hpp"

namespace assay::trace {

/// Activation checkpointing runs parts of the forward pass again, inside the backward pass. There
/// the program's own ranges say forward, on PyTorch often on the thread of autograd.
struct Recomputation {
  /// A byte per range: nonzero for the author's ranges that are open because of the backward pass.
  std::vector<std::uint8_t> ranges;
  /// A byte per thread: nonzero if all of its author's ranges are such ranges, and other threads
  /// have ranges of the same names. What it launches belongs to the ranges of the thread that waits
  /// for it, too.
  std::vector<std::uint8_t> threads;
};

[[nodiscard]] Recomputation find_recomputation(const Trace& trace);

/// Whether a name says backward, and does not say forward too.
[[nodiscard]] bool says_backward(std::string_view name);

}  // namespace assay::trace
