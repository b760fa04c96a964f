// What threads of a block do together: barriers, warp operations, convergence, and the end of a
// block whose threads wait for ever.
#include <bit>

#include "block.hpp"
#include "block_schedule.hpp"
#include "error_codes.hpp"

namespace assay::simt {

[[gnu::flatten]] int Block::barrier(BarrierOp op, int predicate, unsigned line) {
  if (assay_simt_context.turn != nullptr || (!scheduled_ && start_in_turns())) {
    return barrier_in_turn(op, predicate, line);
  }
  ensure_scheduled();
  Warp& warp = warp_of(current_);
  const unsigned bit = 1U << current_ % kWarpSize;
  if (checks_sync_) check_barrier_line(line);
  barrier_line_ = line;
  votes_ += predicate != 0 ? 1U : 0U;
  ++arrived_;
  warp.at_barrier |= bit;
  if (arrived_ == total_ && may_take_turns()) {
    go_on_in_turns(line);
  } else if (arrived_ + exited_ == total_) {
    warp.at_barrier &= ~bit;
    release_barrier();
  } else {
    suspend(Wait::barrier, line);
  }
  return barrier_result(op);
}

void Block::check_barrier_line(unsigned line) {
  if (arrived_ == 0 || line == barrier_line_) return;
  assay_simt_finding finding = finding_here(
      ASSAY_SIMT_BARRIER_DIVERGENCE, line,
      "threads of the block meet at different barriers (lines %u and %u)", line, barrier_line_);
  for (unsigned i = 0; i < total_; ++i) {
    if (threads_[i].wait == Wait::barrier && is_live(i)) {
      finding.has_other = 1;
      finding.other = place_of(i);
      break;
    }
  }
  launch_->report(finding, 0);
}

void Block::release_barrier() {
  if (checks_sync_ && ran_through_.any()) report_missing_threads();
  if (shadow_) shadow_->clock.block_barrier(total_);
  barrier_votes_ = votes_;
  barrier_arrivals_ = arrived_;
  votes_ = arrived_ = 0;
  const unsigned warps = (total_ + kWarpSize - 1) / kWarpSize;
  for (unsigned i = 0; i < warps; ++i) {
    wake(i, warps_[i].at_barrier);
    warps_[i].at_barrier = 0;
  }
}

void Block::report_missing_threads() {
  unsigned absent = 0;
  while (!ran_through_[absent]) ++absent;
  assay_simt_finding finding =
      finding_here(ASSAY_SIMT_BARRIER_DIVERGENCE, barrier_line_,
                   "%u of the block's %u threads went around this barrier to the kernel's end",
                   static_cast<unsigned>(ran_through_.count()), total_);
  // Where the last to come did not come but leave, one of those who wait speaks for the barrier.
  for (unsigned i = 0; !is_live(current_) && i < total_; ++i) {
    if (!is_live(i) || threads_[i].wait != Wait::barrier) continue;
    finding.place = place_of(i);
    break;
  }
  finding.has_other = 1;
  finding.other = place_of(absent);
  finding.other.line = 0;
  launch_->report(finding, 0);
}

void Block::release_if_all_arrived() {
  if (arrived_ > 0 && arrived_ + exited_ == total_) release_barrier();
}

[[gnu::flatten]] std::uint64_t Block::warp_operation(WarpOp op, unsigned mask, std::uint64_t value,
                                                     unsigned argument, unsigned line) {
  if (takes_warp_turn(op, mask)) return warp_operation_in_turn(op, value, argument, line);
  ensure_scheduled();
  const unsigned index = current_ / kWarpSize;
  const unsigned lane = current_ % kWarpSize;
  Warp& warp = warps_[index];
  mask &= lanes_in(index);
  if ((mask >> lane & 1U) == 0 || checks_sync_) {
    check_warp_mask(mask, lane, line);
    mask |= 1U << lane;
  }
  warp.value[lane] = value;
  warp.argument[lane] = static_cast<std::uint8_t>(argument);
  const unsigned group = warp.join(op, mask, lane);
  if (warp.complete(warp.groups[group])) {
    finish_group(index, group, 1U << lane);
  } else {
    suspend(Wait::warp, line);
  }
  return warp.result[lane];
}

void Block::finish_group(unsigned warp, unsigned group, unsigned running) {
  const unsigned lanes = warps_[warp].finish(group);
  if (shadow_) shadow_->clock.warp_operation(warp, lanes);
  wake(warp, lanes & ~running);
}

void Block::check_warp_mask(unsigned mask, unsigned lane, unsigned line) {
  if ((mask >> lane & 1U) == 0) {
    launch_->report(finding_here(ASSAY_SIMT_WARP_MISUSE, line,
                                 "the mask 0x%08x does not name the calling lane %u", mask, lane),
                    0);
  } else if (const unsigned gone = mask & warp_of(current_).exited; gone != 0) {
    launch_->report(finding_here(ASSAY_SIMT_WARP_MISUSE, line,
                                 "the mask 0x%08x names lane %d, which has left the kernel", mask,
                                 std::countr_zero(gone)),
                    0);
  }
}

unsigned Block::active_mask(unsigned line) {
  ensure_scheduled();
  Warp& warp = warp_of(current_);
  const unsigned lane = current_ % kWarpSize;
  warp.converging |= 1U << lane;
  suspend(Wait::active_mask, line);
  return static_cast<unsigned>(warp.result[lane]);
}

void Block::resolve_converging(unsigned index) {
  // Lanes at the same line are together, as they are on hardware after a branch rejoins.
  Warp& warp = warps_[index];
  const unsigned converging = warp.converging;
  warp.converging = 0;
  for (unsigned rest = converging; rest != 0;) {
    const unsigned line = threads_[index * kWarpSize + std::countr_zero(rest)].line;
    unsigned together = 0;
    for (unsigned lanes = rest; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (threads_[index * kWarpSize + lane].line == line) together |= 1U << lane;
    }
    for (unsigned lanes = together; lanes != 0; lanes &= lanes - 1) {
      warp.result[std::countr_zero(lanes)] = together;
    }
    rest &= ~together;
  }
  wake(index, converging);
}

void Block::grid_barrier(unsigned line) {
  ensure_scheduled();
  if (!launch_->cooperative()) {
    fail(finding_here(ASSAY_SIMT_INVALID_LAUNCH, line,
                      "a grid-wide barrier needs a cooperative launch"),
         kLaunchFailure);
  }
  warp_of(current_).at_grid |= 1U << current_ % kWarpSize;
  ++at_grid_;
  suspend(Wait::grid, line);
}

void Block::release_grid_waiters() {
  at_grid_ = 0;
  if (shadow_) {
    const std::uint32_t tick = launch_->sanitizer()->advance();
    for (unsigned i = 0; i < total_; ++i) shadow_->clock.acquire(i, tick);
  }
  const unsigned warps = (total_ + kWarpSize - 1) / kWarpSize;
  for (unsigned i = 0; i < warps; ++i) {
    wake(i, warps_[i].at_grid);
    warps_[i].at_grid = 0;
  }
}

void Block::yield() {
  ensure_scheduled();
  const unsigned lane = current_ % kWarpSize;
  const unsigned warp = current_ / kWarpSize;
  // Every live thread has polled in vain since anything last happened. If none waits to see who
  // comes along, only another block helps.
  const bool fruitless = ++idle_yields_ > (started_ - exited_) * 2 && started_ == total_;
  if (fruitless) idle_yields_ = 0;
  if (fruitless && !resolve_any_converging()) {
    warps_[warp].ready |= 1U << lane;
    ready_warps_ |= 1U << warp;
    park(State::spinning);
    return;
  }
  const int choice = pick_after(warp, lane);
  if (choice == kNothing) return;
  warps_[warp].ready |= 1U << lane;
  ready_warps_ |= 1U << warp;
  go_on_with(choice);
}

int Block::pick_after(unsigned warp, unsigned lane) {
  if (shuffled_) return pick_shuffled();
  const unsigned later = warps_[warp].ready & ~((2U << lane) - 1);
  if (later != 0) return take_ready(warp, static_cast<unsigned>(std::countr_zero(later)));
  if (started_ < total_) return kStartAnother;
  const unsigned later_warps = warp == 31 ? 0 : ready_warps_ & ~((2U << warp) - 1);
  const unsigned warps = later_warps != 0 ? later_warps : ready_warps_;
  if (warps == 0) return kNothing;
  const auto next = static_cast<unsigned>(std::countr_zero(warps));
  return take_ready(next, static_cast<unsigned>(std::countr_zero(warps_[next].ready)));
}

bool Block::resolve_any_converging() {
  const unsigned warps = (total_ + kWarpSize - 1) / kWarpSize;
  for (unsigned i = 0; i < warps; ++i) {
    if (warps_[i].converging == 0) continue;
    resolve_converging(i);
    return true;
  }
  return false;
}

bool Block::is_live(unsigned linear) const {
  const Warp& warp = warps_[linear / kWarpSize];
  return ((warp.started & ~warp.exited) >> linear % kWarpSize & 1U) != 0;
}

assay_simt_place Block::place_of(unsigned linear) const {
  assay_simt_place place = place_here(threads_[linear].line);
  const uint3 thread = coordinates(linear);
  place.thread[0] = thread.x;
  place.thread[1] = thread.y;
  place.thread[2] = thread.z;
  return place;
}

void Block::report_deadlock() {
  static constexpr const char* kWhere[] = {"nothing", "__syncthreads", "a warp operation",
                                           "__activemask", "grid.sync"};
  unsigned first = 0;
  while (!is_live(first)) ++first;
  unsigned other = first;
  for (unsigned i = first; i < total_; ++i) {
    if (is_live(i) &&
        (threads_[i].wait != threads_[first].wait || threads_[i].line != threads_[first].line)) {
      other = i;
      break;
    }
  }
  const Thread& waiting = threads_[first];
  const bool has_other = other != first;
  assay_simt_finding finding =
      finding_here(ASSAY_SIMT_DEADLOCK, waiting.line,
                   has_other ? "threads wait for ever: some in %s, others in %s"
                             : "threads wait for ever in %s: the threads they wait for have left%s",
                   kWhere[static_cast<unsigned>(waiting.wait)],
                   has_other ? kWhere[static_cast<unsigned>(threads_[other].wait)] : "");
  finding.place = place_of(first);
  finding.has_other = has_other ? 1 : 0;
  if (has_other) finding.other = place_of(other);
  fail(finding, kLaunchTimeout);
}

}  // namespace assay::simt
