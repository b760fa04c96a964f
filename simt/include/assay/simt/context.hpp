#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/simt/vector_types.hpp"

namespace assay::simt {

/// Who the running code is, per OS thread. A fiber never moves to another OS thread, so an
/// address in here stays good across barriers; the values change at every switch.
struct Context {
  uint3 thread;
  uint3 block;
  dim3 block_dim;
  dim3 grid_dim;
  // The plain loop over a row of threads: the next x to start, and where the row ends. A row end
  // of 0 sends every thread end to the scheduler.
  unsigned next_x;
  unsigned row_end;
  unsigned spins;         // fruitless atomics in a row
  unsigned shared_bytes;  // of dynamic shared memory
  char* shared;           // static shared variables of the block
  char* dynamic_shared;
  void* scheduler;  // null outside kernels
};

}  // namespace assay::simt

#pragma GCC visibility push(default)
extern "C" {
// initial-exec: two instructions instead of a call on every threadIdx. The struct is small enough
// for the static TLS that glibc keeps free for libraries loaded late.
extern __thread assay::simt::Context assay_simt_context __attribute__((tls_model("initial-exec")));

/// Ends the current thread and, where it returns true, makes this fiber the next one.
bool assay_simt_next_thread();
}
#pragma GCC visibility pop

#define threadIdx (static_cast<const uint3&>(assay_simt_context.thread))
#define blockIdx (static_cast<const uint3&>(assay_simt_context.block))
#define blockDim (static_cast<const dim3&>(assay_simt_context.block_dim))
#define gridDim (static_cast<const dim3&>(assay_simt_context.grid_dim))

namespace assay::simt {

/// Position in the block, in the order that makes warps.
inline unsigned linear_thread() {
  const Context& c = assay_simt_context;
  return c.thread.x + c.block_dim.x * (c.thread.y + c.block_dim.y * c.thread.z);
}

inline unsigned lane_id() {
  return linear_thread() & 31U;
}

/// Moves on to the next thread of the block; false when this fiber has nothing left to run.
[[gnu::always_inline]] inline bool next_thread() {
  Context& c = assay_simt_context;
  if (const unsigned x = c.next_x; x < c.row_end) [[likely]] {
    c.next_x = x + 1;
    c.thread.x = x;
    return true;
  }
  return assay_simt_next_thread();
}

}  // namespace assay::simt
