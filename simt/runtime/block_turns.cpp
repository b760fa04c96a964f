// Blocks whose threads go from barrier to barrier in turns: how that begins, at a barrier that the
// first thread comes to first or that all have come to, and how it ends.
#include "block.hpp"
#include "block_schedule.hpp"

namespace assay::simt {

bool Block::may_take_turns() const {
#if defined(__SANITIZE_ADDRESS__)
  return false;  // AddressSanitizer must be told of every switch
#else
  return total_ > 1 && !shuffled_ && !shadow_ && !checks_sync_;
#endif
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
  assay_simt_context.row_end = 0;
  assay_simt_context.turn = &threads_[0];
}

int Block::barrier_in_turn(BarrierOp op, int predicate, unsigned line) {
  votes_ += predicate != 0 ? 1U : 0U;
  if (assay_simt_context.turn->next == &threads_[0]) {
    barrier_votes_ = votes_;
    votes_ = 0;
  }
  pass_turn(line);
  return barrier_result(op);
}

/// Goes on with the next thread where those before this one have ended too; else returns, no longer
/// in turns.
void Block::end_in_turn() {
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
  if (!ending_) {
    current_ = static_cast<unsigned>(static_cast<Thread*>(assay_simt_context.turn) - threads_);
    fiber_ = threads_[current_].fiber;
    assay_simt_context.turn = nullptr;
  }
  const unsigned after = current_ + 1;
  const bool first_round =
      after < total_ && threads_[after].saved.resume == reinterpret_cast<void*>(&Block::fiber_main);
  started_ = first_round ? after : total_;
  exited_ = ending_ ? current_ : 0;
  arrived_ = current_ - exited_;
  ready_warps_ = at_grid_ = idle_yields_ = 0;
  for (unsigned i = 0; i * kWarpSize < total_; ++i) {
    Warp& warp = warps_[i];
    warp.reset();
    warp.started = lanes_before(i, started_);
    warp.exited = lanes_before(i, exited_);
    warp.at_barrier = lanes_before(i, current_) & ~warp.exited;
    wake(i, warp.started & ~lanes_before(i, after));
  }
  for (unsigned i = 0; i < total_; ++i) {
    Thread& thread = threads_[i];
    thread.wait = i < current_ ? Wait::barrier : Wait::none;
    if (i >= exited_ && i < started_) continue;
    fibers_.give(thread.fiber);
    thread.fiber = nullptr;
  }
  in_turns_ = ending_ = attached_ = false;
}

void Block::lay_out_threads() {
  const dim3& size = launch_->spec().block;
  if (laid_out_.x == size.x && laid_out_.y == size.y && laid_out_.z == size.z) return;
  for (unsigned i = 0; i < total_; ++i) {
    threads_[i].index = coordinates(i);
    threads_[i].next = &threads_[(i + 1) % total_];
  }
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
