// The switches between the OS thread's own stack and the fibers of a block, and what
// AddressSanitizer must be told about them.
#include "block.hpp"
#include "block_schedule.hpp"
#include "error_codes.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace assay::simt {

#if defined(__SANITIZE_ADDRESS__)
namespace {

void leaving(void** fake_stack, const Fiber& to) {
  __sanitizer_start_switch_fiber(fake_stack, to.bottom,
                                 static_cast<std::size_t>(to.top - to.bottom));
}

}  // namespace

void Block::switch_from_worker(const Fiber& fiber, const MachineContext& to) {
  void* fake_stack = nullptr;
  leaving(&fake_stack, fiber);
  switch_context(worker_, to);
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

void Block::switch_threads(Thread& from, const Fiber& fiber, const MachineContext& to) {
  leaving(&from.fiber->fake_stack, fiber);
  switch_context(from.saved, to);
  arrive_on_fiber();
}

void Block::arrive_on_fiber() {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fiber_->fake_stack, &bottom, &bytes);
  fiber_->fake_stack = nullptr;
  if (!is_fiber_stack(bottom)) {
    worker_bottom_ = bottom;
    worker_bytes_ = bytes;
  }
}

bool Block::is_fiber_stack(const void* bottom) const {
  for (unsigned i = 0; scheduled_ && i < total_; ++i) {
    if (threads_[i].fiber != nullptr && threads_[i].fiber->bottom == bottom) return true;
  }
  return false;
}

void Block::switch_to_worker(MachineContext& from, void** fake_stack) {
  __sanitizer_start_switch_fiber(fake_stack, worker_bottom_, worker_bytes_);
  switch_context(from, worker_);
}
#endif

void Block::park(State state) {
  MachineContext& saved = threads_[current_].saved;
  state_ = state;
#if defined(__SANITIZE_ADDRESS__)
  switch_to_worker(saved, &fiber_->fake_stack);
#else
  switch_to_worker(saved, nullptr);
#endif
  arrive_on_fiber();
}

void Block::leave_finished_fiber(State state) {
  state_ = state;
  // Still ours until the next thread starts, which is on this OS thread.
  if (!attached_) fibers_.give(fiber_);
  MachineContext nowhere;
  switch_to_worker(nowhere, nullptr);
  __builtin_unreachable();
}

void Block::resume_on_finished_fiber(unsigned linear) {
  Fiber* finished = fiber_;
  fibers_.give(finished);
  current_ = linear;
  fiber_ = threads_[linear].fiber;
  threadIdx = threads_[linear].index;
#if defined(__SANITIZE_ADDRESS__)
  leaving(nullptr, *fiber_);
#endif
  MachineContext nowhere;
  switch_context(nowhere, threads_[linear].saved);
  __builtin_unreachable();
}

void Block::fail(const assay_simt_finding& finding, int status) {
  launch_->report(finding, status);
  abandon();
}

void Block::abandon() {
  state_ = State::aborted;
  MachineContext nowhere;
  switch_to_worker(nowhere, nullptr);
  __builtin_unreachable();
}

void Block::give_up_for_memory() {
  assay_simt_finding finding =
      finding_here(ASSAY_SIMT_INVALID_LAUNCH, 0, "no memory for a thread's stack");
  launch_->report(finding, kMemoryAllocation);
  state_ = State::aborted;
}

void Block::reclaim_fibers() {
  // No destructor of device code runs: a launch that failed leaves its memory undefined anyway.
  if (attached_) return detach_fibers(nullptr);
  if (!scheduled_) {
    if (fiber_ != nullptr) fibers_.give(fiber_);
    return;
  }
  for (unsigned i = 0; i < total_; ++i) {
    const bool live =
        (warps_[i / kWarpSize].started & ~warps_[i / kWarpSize].exited) >> (i % kWarpSize) & 1U;
    if (live && threads_[i].fiber != nullptr) fibers_.give(threads_[i].fiber);
  }
}

}  // namespace assay::simt
