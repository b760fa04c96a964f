// Blocks whose threads go from barrier to barrier in turns: how that begins, where the first thread
// waits first or at a barrier that all have come to, and how it ends.
#include <utility>

#include "block.hpp"
#include "block_schedule.hpp"

namespace assay::simt {

bool Block::may_take_turns() {
#if defined(__SANITIZE_ADDRESS__)
  return false;  // AddressSanitizer must be told of every switch
#else
  if (total_ == 1 || shuffled_ || shadow_ || checks_sync_) return false;
  if (wrapping_ == nullptr) wrapping_ = fibers_.take();
  return wrapping_ != nullptr;
#endif
}

void Block::wrap_around() {
  auto& block = *static_cast<Block*>(assay_simt_context.scheduler);
  const Thread& first = block.threads_[0];
  assay_simt_context.turn = &block.threads_[0];
  threadIdx = first.index;
  MachineContext nowhere;
  switch_context(nowhere, first.saved);
  __builtin_unreachable();
}

bool Block::start_in_turns() {
  if (linear_thread() != 0 || !may_take_turns()) return false;
  lay_out_threads();
  if (!attached_ && !attach_fibers()) return false;
  scheduled_ = true;
  votes_ = 0;
  take_turns();
  return true;
}

void Block::go_on_in_turns(unsigned line) {
  Thread& self = threads_[current_];
  self.line = line;
  barrier_votes_ = votes_;
  votes_ = 0;
  take_turns();
  threadIdx = threads_[0].index;
  switch_context(self.saved, threads_[0].saved);
}

void Block::take_turns() {
  in_turns_ = true;
  attached_ = true;
  barrier_arrivals_ = total_;
  threads_[total_].saved = fresh_context(wrapping_->top, &Block::wrap_around);
  assay_simt_context.row_end = 0;
  assay_simt_context.turn = &threads_[0];
}

int Block::barrier_in_turn(BarrierOp op, int predicate, unsigned line) {
  votes_ += predicate != 0 ? 1U : 0U;
  if (assay_simt_context.turn == &threads_[total_ - 1]) {
    barrier_votes_ = votes_;
    votes_ = 0;
  }
  pass_turn(line);
  return barrier_result(op);
}

/// Whether the whole warp will do this together: the first lane may begin it, the others must join.
bool Block::takes_warp_turn(WarpOp op, unsigned mask) {
  if (!scheduled_) {
    if (linear_thread() != 0 || mask != ~0U || !start_in_turns()) return false;
  } else if (!in_turns_) {
    return false;
  }
  if (const Turn* turn = assay_simt_context.turn; turn != nullptr) {
    current_ = static_cast<unsigned>(static_cast<const Thread*>(turn) - threads_);
  }
  const unsigned lanes = lanes_in(current_ / kWarpSize);
  if ((mask & lanes) != lanes) return false;
  return warp_pending_ ? op == pending_op_ : current_ % kWarpSize == 0;
}

std::uint64_t Block::warp_operation_in_turn(WarpOp op, std::uint64_t value, unsigned argument,
                                            unsigned line) {
  Thread& self = threads_[current_];
  const unsigned lane = current_ % kWarpSize;
  Warp& warp = warp_of(current_);
  self.line = line;
  warp.value[lane] = value;
  warp.argument[lane] = static_cast<std::uint8_t>(argument);
  if (lane + 1 < kWarpSize && current_ + 1 < total_) {
    warp_pending_ = true;
    pending_op_ = op;
    assay_simt_context.turn = nullptr;
    ++current_;
  } else {
    warp.compute(op, lanes_in(current_ / kWarpSize));
    warp_pending_ = false;
    current_ -= lane;
    if (!ending_) assay_simt_context.turn = &threads_[current_];
  }
  const Thread& next = threads_[current_];
  fiber_ = next.fiber;
  threadIdx = next.index;
  switch_context(self.saved, next.saved);
  return warp.result[lane];
}

/// Goes on with the next thread where those before this one have ended too; else returns, no longer
/// in turns.
void Block::end_in_turn() {
  if (warp_pending_) return leave_turns();
  if (!ending_) {
    if (assay_simt_context.turn != &threads_[0]) return leave_turns();
    assay_simt_context.turn = nullptr;
    current_ = 0;
    ending_ = true;
  }
  make_fresh(threads_[current_]);
  if (++current_ == total_) leave_finished_fiber(State::done);
  const Thread& next = threads_[current_];
  fiber_ = next.fiber;
  threadIdx = next.index;
  MachineContext nowhere;
  switch_context(nowhere, next.saved);
  __builtin_unreachable();
}

void Block::leave_turns() {
  if (Turn* turn = std::exchange(assay_simt_context.turn, nullptr); turn != nullptr) {
    current_ = static_cast<unsigned>(static_cast<Thread*>(turn) - threads_);
    fiber_ = threads_[current_].fiber;
  }
  started_ = current_ + 1;
  while (started_ < total_ && !is_fresh(threads_[started_])) ++started_;
  const unsigned settled = warp_pending_ ? current_ / kWarpSize * kWarpSize : current_;
  exited_ = ending_ ? settled : 0;
  arrived_ = settled - exited_;
  ready_warps_ = at_grid_ = idle_yields_ = 0;
  for (unsigned i = 0; i * kWarpSize < total_; ++i) {
    Warp& warp = warps_[i];
    warp.reset();
    warp.started = lanes_before(i, started_);
    warp.exited = lanes_before(i, exited_);
    warp.at_barrier = lanes_before(i, settled) & ~warp.exited;
    wake(i, warp.started & ~lanes_before(i, current_ + 1));
  }
  for (unsigned i = settled; i < current_; ++i) {
    warp_of(i).join(pending_op_, lanes_in(i / kWarpSize), i % kWarpSize);
  }
  for (unsigned i = 0; i < total_; ++i) {
    Thread& thread = threads_[i];
    thread.wait = i < settled ? Wait::barrier : i < current_ ? Wait::warp : Wait::none;
    if (i >= exited_ && i < started_) continue;
    fibers_.give(thread.fiber);
    thread.fiber = nullptr;
  }
  in_turns_ = warp_pending_ = ending_ = attached_ = false;
}

void Block::lay_out_threads() {
  const dim3& size = launch_->spec().block;
  if (laid_out_.x == size.x && laid_out_.y == size.y && laid_out_.z == size.z) return;
  for (unsigned i = 0; i < total_; ++i) threads_[i].index = coordinates(i);
  laid_out_ = size;
}

bool Block::attach_fibers() {
  threads_[0].fiber = fiber_;
  for (unsigned i = 1; i < total_; ++i) {
    threads_[i].fiber = fibers_.take();
    if (threads_[i].fiber == nullptr) {
      while (--i > 0) fibers_.give(threads_[i].fiber);
      return false;
    }
    make_fresh(threads_[i]);
  }
  return true;
}

void Block::detach_fibers(const Fiber* except) {
  for (unsigned i = 0; i < total_; ++i) {
    if (threads_[i].fiber != except) fibers_.give(threads_[i].fiber);
    threads_[i].fiber = nullptr;
  }
  attached_ = false;
}

}  // namespace assay::simt
