#pragma once

#include <cstddef>

#include "assay/simt/context.hpp"
#include "assay/simt/context_switch.hpp"

namespace assay::simt {

/// A thread of a block whose threads pass barriers in turns: each goes on to the next barrier, then
/// lets the following one do so, round and round. What a thread finds in the turn it passes to,
/// another that waits or one not yet started, is for the runtime to have put there.
struct Turn {
  MachineContext saved;
  uint3 index{};
  unsigned line = 0;  // where it waits
};

/// Turns lie one behind the other, so that who comes next is a sum. A pointer would be one more
/// load that each barrier has to wait for.
inline constexpr std::size_t kTurnStride = 64;

/// A barrier, for a thread that has the turn. In the kernel itself and not behind a call: that way
/// the compiler saves only what this kernel still needs, which is most of what a barrier costs.
[[gnu::always_inline]] inline void pass_turn(unsigned line) {
  Turn& self = *assay_simt_context.turn;
  Turn& next = *reinterpret_cast<Turn*>(reinterpret_cast<char*>(&self) + kTurnStride);
  self.line = line;
  assay_simt_context.turn = &next;
  threadIdx = next.index;
  switch_context(self.saved, next.saved);
}

}  // namespace assay::simt
