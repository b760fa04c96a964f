#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/simt/vector_types.hpp"

namespace assay::simt {

/// What the running code knows about itself beside its coordinates, per OS thread. A fiber never
/// moves to another OS thread. So an address in here stays good across barriers, but the values
/// change at every switch.
struct Context {
  // Where the plain loop over a row of threads ends. With 0, the scheduler is called whenever a
  // thread ends.
  unsigned row_end;
  unsigned spins;         // fruitless atomics in a row
  unsigned shared_bytes;  // of dynamic shared memory
  char* shared;           // static shared variables of the block
  char* dynamic_shared;
  void* scheduler;  // null outside kernels
  // The turn of the running thread, if threads pass barriers in turns; else null.
  struct Turn* turn;
};

}  // namespace assay::simt

#pragma GCC visibility push(default)
extern "C" {
// initial-exec needs two instructions instead of a call on every threadIdx. All of this is small
// enough for the static TLS that glibc keeps free for libraries loaded late.
#define ASSAY_SIMT_PER_THREAD(name) __asm__(name) __attribute__((tls_model("initial-exec")))
extern __thread assay::simt::Context assay_simt_context __attribute__((tls_model("initial-exec")));

// These are variables and not macros, because host code has variables and members of these names.
// For kernels all but threadIdx are const. A fiber runs threads of one block only, so the compiler
// may keep them. They are uint3 and not dim3, because the compiler never keeps a type with a
// constructor.
#if defined(ASSAY_SIMT_RUNTIME)
#define ASSAY_SIMT_FIXED
#else
#define ASSAY_SIMT_FIXED const
#endif
extern __thread uint3 threadIdx ASSAY_SIMT_PER_THREAD("assay_simt_thread_index");
extern __thread ASSAY_SIMT_FIXED uint3 blockIdx ASSAY_SIMT_PER_THREAD("assay_simt_block_index");
extern __thread ASSAY_SIMT_FIXED uint3 blockDim ASSAY_SIMT_PER_THREAD("assay_simt_block_size");
extern __thread ASSAY_SIMT_FIXED uint3 gridDim ASSAY_SIMT_PER_THREAD("assay_simt_grid_size");
#undef ASSAY_SIMT_FIXED
#undef ASSAY_SIMT_PER_THREAD

/// Ends the current thread. If it returns true, this fiber has become the next one.
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

/// Runs `thread` for the current thread of the block and those after it, until this fiber has
/// nothing left to run. The coordinate stays in a register. In memory, each iteration would wait
/// for the store of the one before.
template <class Function>
[[gnu::always_inline]] inline void run_threads(const Function& thread) {
  for (unsigned x = threadIdx.x;;) {
    thread();
    if (++x < assay_simt_context.row_end) [[likely]] {
      threadIdx.x = x;
    } else if (assay_simt_next_thread()) {
      x = threadIdx.x;
    } else {
      return;
    }
  }
}

}  // namespace assay::simt
