#pragma once

#include "assay/simt/engine.hpp"

inline constexpr int warpSize = 32;

inline void __syncthreads(unsigned line = __builtin_LINE()) {
  assay_simt_barrier(assay::simt::BarrierOp::none, 0, line);
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
