#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/simt/vector_types.hpp"

namespace assay::simt {

/// What the running code knows about itself beside its coordinates, per OS thread. A fiber never
/// moves to another OS thread, so an address in here stays good across barriers; the values change
/// at every switch.
struct Context {
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
// initial-exec: two instructions instead of a call on every threadIdx. All of this is small enough
// for the static TLS that glibc keeps free for libraries loaded late.
#define ASSAY_SIMT_PER_THREAD(name) __asm__(name) __attribute__((tls_model("initial-exec")))
extern __thread assay::simt::Context assay_simt_context __attribute__((tls_model("initial-exec")));

// Variables and not macros, because host code has variables and members of these names. Not const,
// because the compiler would then keep their values from one thread to the next.
extern __thread uint3 threadIdx ASSAY_SIMT_PER_THREAD("assay_simt_thread_index");
extern __thread uint3 blockIdx ASSAY_SIMT_PER_THREAD("assay_simt_block_index");
extern __thread dim3 blockDim ASSAY_SIMT_PER_THREAD("assay_simt_block_size");
extern __thread dim3 gridDim ASSAY_SIMT_PER_THREAD("assay_simt_grid_size");
#undef ASSAY_SIMT_PER_THREAD

/// Ends the current thread and, where it returns true, makes this fiber the next one.
bool assay_simt_next_thread();
}
#pragma GCC visibility pop

namespace assay::simt {

/// Position in the block, in the order that makes warps.
inline unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

inline unsigned lane_id() {
  return linear_thread() & 31U;
}

/// Moves on to the next thread of the block; false when this fiber has nothing left to run.
[[gnu::always_inline]] inline bool next_thread() {
  Context& c = assay_simt_context;
  if (const unsigned x = c.next_x; x < c.row_end) [[likely]] {
    c.next_x = x + 1;
    threadIdx.x = x;
    return true;
  }
  return assay_simt_next_thread();
}

}  // namespace assay::simt
