#pragma once

#include <cstddef>

#include "assay/simt/context.hpp"
#include "assay/simt/context_switch.hpp"

namespace assay::simt {

/// A thread of a block whose threads pass barriers in turns. Each goes on to the next barrier, then
/// passes the turn to the following one, round and round. The runtime prepares every turn. It holds
/// a thread that waits, or one that has not started.
struct Turn {
  MachineContext saved;
  uint3 index{};
  unsigned line = 0;  // where it waits
};

/// Turns lie one behind the other, so that an addition finds the next one. A pointer would be one
/// more load that each barrier has to wait for.
inline constexpr std::size_t kTurnStride = 64;

/// A barrier, for a thread that has the turn. It is in the kernel itself and not behind a call. So
/// the compiler saves only what this kernel still needs. Saving is most of what a barrier costs.
[[gnu::always_inline]] inline void pass_turn(unsigned line) {
  Turn& self = *assay_simt_context.turn;
  Turn& next = *reinterpret_cast<Turn*>(reinterpret_cast<char*>(&self) + kTurnStride);
  self.line = line;
  assay_simt_context.turn = &next;
  threadIdx = next.index;
  switch_context(self.saved, next.saved);
}

}  // namespace assay::simt
