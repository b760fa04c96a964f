#pragma once

#include <cstdint>

#include "assay/simt/engine.hpp"

namespace assay::simt {

inline constexpr unsigned kWarpSize = 32;

/// Lanes that wait for one another in the same warp operation.
struct WarpGroup {
  WarpOp op;
  unsigned mask;     // whom the operation names
  unsigned arrived;  // of those, who is here
};

/// Thirty-two threads and what they exchange. Which lanes can run is here too, so that the
/// scheduler's choice is a bit scan.
struct Warp {
  unsigned started = 0;
  unsigned exited = 0;
  unsigned ready = 0;       // suspended, and nothing holds them
  unsigned at_barrier = 0;  // in __syncthreads or one of its forms
  unsigned at_grid = 0;
  unsigned converging = 0;  // in __activemask, until the other lanes have come or wait elsewhere
  unsigned group_count = 0;
  WarpGroup groups[kWarpSize];
  std::uint64_t value[kWarpSize];
  std::uint64_t result[kWarpSize];  // written by the last to arrive, read by each on waking
  std::uint8_t argument[kWarpSize];

  void reset() { started = exited = ready = at_barrier = at_grid = converging = group_count = 0; }

  /// Adds a lane to the group of `op` and `mask`; gives the group's index.
  unsigned join(WarpOp op, unsigned mask, unsigned lane);
  [[nodiscard]] bool complete(const WarpGroup& group) const {
    return (group.mask & ~exited) == group.arrived;
  }
  /// Computes every arrived lane's result, dissolves the group and returns who was in it.
  unsigned finish(unsigned group_index);
  /// Computes the results of an operation that all of `lanes` have brought their values to.
  void compute(WarpOp op, unsigned lanes);
};

}  // namespace assay::simt
