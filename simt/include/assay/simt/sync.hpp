#pragma once

#include "assay/simt/engine.hpp"
#include "assay/simt/turn.hpp"

inline constexpr int warpSize = 32;

[[gnu::always_inline]] inline void __syncthreads(unsigned line = __builtin_LINE()) {
  if (assay_simt_context.turn != nullptr) [[likely]] {
    assay::simt::pass_turn(line);
  } else {
    assay_simt_barrier(assay::simt::BarrierOp::none, 0, line);
  }
}
inline int __syncthreads_count(int predicate, unsigned line = __builtin_LINE()) {
  return assay_simt_barrier(assay::simt::BarrierOp::count, predicate, line);
}
inline int __syncthreads_and(int predicate, unsigned line = __builtin_LINE()) {
  return assay_simt_barrier(assay::simt::BarrierOp::all, predicate, line);
}
inline int __syncthreads_or(int predicate, unsigned line = __builtin_LINE()) {
  return assay_simt_barrier(assay::simt::BarrierOp::any, predicate, line);
}
inline void __syncwarp(unsigned mask = 0xffffffffU, unsigned line = __builtin_LINE()) {
  assay_simt_warp(assay::simt::WarpOp::sync, mask, 0, 0, line);
}

// Stands at the end of every kernel's body. A thread that comes by here has not left the kernel
// early.
#if defined(__SANITIZE_THREAD__)
#define ASSAY_SIMT_END() assay_simt_ran_through()
#else
#define ASSAY_SIMT_END() static_cast<void>(0)
#endif

// Blocks run on different cores, so a fence across blocks is a real one.
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

inline void __nanosleep(unsigned) {
  assay_simt_yield();
}

#define __trap() assay_simt_trap(__LINE__)
#define __brkpt() assay_simt_trap(__LINE__)
#define __prof_trigger(counter) static_cast<void>(counter)
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#define __nv_assume(condition) __builtin_assume(condition)

inline unsigned __isGlobal(const void* address) {
  return assay_simt_space_of(address) == ASSAY_SIMT_SPACE_GLOBAL;
}
inline unsigned __isShared(const void* address) {
  return assay_simt_space_of(address) == ASSAY_SIMT_SPACE_SHARED;
}
inline unsigned __isLocal(const void* address) {
  return assay_simt_space_of(address) == ASSAY_SIMT_SPACE_LOCAL;
}
inline unsigned __isConstant(const void*) {
  return 0;
}
inline std::size_t __cvta_generic_to_shared(const void* address) {
  return static_cast<std::size_t>(static_cast<const char*>(address) - assay_simt_context.shared);
}
inline void* __cvta_shared_to_generic(std::size_t offset) {
  return assay_simt_context.shared + offset;
}
inline std::size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
