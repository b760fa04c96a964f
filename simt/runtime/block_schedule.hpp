#pragma once

// What runs at every barrier and shuffle, in one place so that it is compiled into one function.
#include <bit>

#include "block.hpp"
#include "error_codes.hpp"

namespace assay::simt {

inline void Block::wake(unsigned warp, unsigned lanes) {
  if (lanes == 0) return;
  warps_[warp].ready |= lanes;
  ready_warps_ |= 1U << warp;
  idle_yields_ = 0;
}

inline int Block::take_ready(unsigned warp, unsigned lane) {
  Warp& from = warps_[warp];
  from.ready &= ~(1U << lane);
  if (from.ready == 0) ready_warps_ &= ~(1U << warp);
  return static_cast<int>(warp * kWarpSize + lane);
}

inline int Block::pick() {
  if (shuffled_) return pick_shuffled();
  const unsigned warp = current_ / kWarpSize;
  // The current warp comes first, fresh lanes included, because its lanes wait for one another most
  // often. And the fewer warps are half way through, the fewer stacks must stay in the cache.
  if (warps_[warp].ready != 0) {
    return take_ready(warp, static_cast<unsigned>(std::countr_zero(warps_[warp].ready)));
  }
  if (started_ < total_ && started_ / kWarpSize == warp) return kStartAnother;
  if (warps_[warp].converging != 0) {
    resolve_converging(warp);
    return take_ready(warp, static_cast<unsigned>(std::countr_zero(warps_[warp].ready)));
  }
  if (ready_warps_ != 0) {
    const auto next = static_cast<unsigned>(std::countr_zero(ready_warps_));
    return take_ready(next, static_cast<unsigned>(std::countr_zero(warps_[next].ready)));
  }
  return started_ < total_ ? kStartAnother : kNothing;
}

inline int Block::choose() {
  do {
    if (const int choice = pick(); choice != kNothing) return choice;
  } while (resolve_any_converging());
  if (at_grid_ == 0 || at_grid_ + exited_ < total_) report_deadlock();
  grid_generation_ = launch_->generation();
  launch_->arrive_at_grid_barrier();
  return kNothing;
}

/// The stacks of a block do not fit into the first-level cache together. Threads mostly run in
/// order, so the next one's stack is fetched while this one runs.
inline void Block::prefetch_after(unsigned linear) const {
  __builtin_prefetch(&threads_[(linear + 2) % kMaxThreads]);
  const auto* stack = static_cast<const char*>(threads_[(linear + 1) % kMaxThreads].saved.stack);
  __builtin_prefetch(stack, 1);
  __builtin_prefetch(stack + 64, 1);
  __builtin_prefetch(stack + 128, 1);
  __builtin_prefetch(stack + 192, 1);
}

#if !defined(__SANITIZE_ADDRESS__)
inline void Block::switch_from_worker(const Fiber& /*fiber*/, const MachineContext& to) {
  switch_context(worker_, to);
}
inline void Block::switch_threads(Thread& from, const Fiber& /*fiber*/, const MachineContext& to) {
  switch_context(from.saved, to);
}
inline void Block::arrive_on_fiber() {}
inline void Block::switch_to_worker(MachineContext& from, void** /*fake_stack*/) {
  switch_context(from, worker_);
}
#endif

inline void Block::go_on_with(int choice) {
  Thread& self = threads_[current_];
  if (choice != kStartAnother) {
    current_ = static_cast<unsigned>(choice);
    const Thread& next = threads_[current_];
    fiber_ = next.fiber;
    threadIdx = next.index;
    prefetch_after(current_);
    return switch_threads(self, *fiber_, next.saved);
  }
  Fiber* fresh = fibers_.take();
  if (fresh == nullptr) {
    fail(finding_here(ASSAY_SIMT_INVALID_LAUNCH, 0, "no memory for another thread's stack"),
         kMemoryAllocation);
  }
  begin_thread(order(started_), fresh);
  fiber_ = fresh;
  switch_threads(self, *fresh, fresh_context(fresh->top, &Block::fiber_main));
}

inline int Block::barrier_result(BarrierOp op) const {
  switch (op) {
    case BarrierOp::none:
      return 0;
    case BarrierOp::count:
      return static_cast<int>(barrier_votes_);
    case BarrierOp::all:
      return barrier_votes_ == barrier_arrivals_ ? 1 : 0;
    case BarrierOp::any:
      return barrier_votes_ != 0 ? 1 : 0;
  }
  return 0;
}

inline void Block::suspend(Wait wait, unsigned line) {
  Thread& self = threads_[current_];
  self.wait = wait;
  self.line = line;
  const int choice = choose();
  if (choice == kNothing) {
    park(State::at_grid_barrier);
  } else if (choice != static_cast<int>(current_)) {
    go_on_with(choice);
  }
  self.wait = Wait::none;
}

}  // namespace assay::simt
