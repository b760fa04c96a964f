#include "block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include <sys/mman.h>

#include "block_schedule.hpp"
#include "error_codes.hpp"
#include "poison.hpp"
#include "random.hpp"

namespace assay::simt {
namespace {

constexpr std::size_t kSharedAlignment = 1024;
constexpr char kGuard = static_cast<char>(0xa5);
constexpr std::size_t kGuardSize = 1024;  // behind the shared memory

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

}  // namespace

Block::~Block() {
  if (shared_ != nullptr) munmap(shared_, shared_capacity_);
}

bool Block::reserve_shared() {
  dynamic_offset_ = rounded_up(launch_->spec().layout->bytes, kSharedAlignment);
  const std::size_t bytes = rounded_up(shared_end() + kGuardSize, std::size_t{1} << 16U);
  if (bytes <= shared_capacity_) return true;
  if (shared_ != nullptr) munmap(shared_, shared_capacity_);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  shared_ = memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
  shared_capacity_ = shared_ == nullptr ? 0 : bytes;
  return shared_ != nullptr;
}

bool Block::prepare(Launch& launch) {
  launch_ = &launch;
  const LaunchSpec& spec = launch.spec();
  if (!reserve_shared()) return false;
  if (shared_end() > 0) poison(shared_, shared_end());
  std::memset(shared_ + shared_end(), kGuard, kGuardSize);
  if (attached_) detach_fibers(nullptr);
  total_ = spec.block.x * spec.block.y * spec.block.z;
  rows_ = spec.block.y * spec.block.z;
  shuffled_ = launch.seed() != 0;
  shadow_ = launch.sanitizer() != nullptr ? std::make_unique<BlockShadow>() : nullptr;
  checks_sync_ = launch.checks(ASSAY_SIMT_SANITIZE_SYNC);
  if (shuffled_ && !order_) order_ = std::make_unique<std::uint16_t[]>(kMaxThreads);
  return true;
}

std::optional<std::size_t> Block::written_past_shared() const {
  const char* const guard = shared_ + shared_end();
  // All alike: memcmp takes 20 ns for what the search below would take half a microsecond.
  if (*guard == kGuard && std::memcmp(guard, guard + 1, kGuardSize - 1) == 0) return std::nullopt;
  const char* const written =
      std::find_if(guard, guard + kGuardSize, [](char byte) { return byte != kGuard; });
  return static_cast<std::size_t>(written - guard);
}

void Block::start(std::uint64_t position) {
  index_ = launch_->block_index(position);
  const dim3& grid = launch_->spec().grid;
  linear_index_ = index_.x + std::uint64_t{grid.x} * (index_.y + std::uint64_t{grid.y} * index_.z);
  if (shadow_) {
    launch_->sanitizer()->start_block(*shadow_, shared_end());
  }
  state_ = State::done;
  fiber_ = nullptr;
  scheduled_ = false;
  in_turns_ = false;
  warp_pending_ = false;
  ending_ = false;
  row_ = 0;
  if (checks_sync_) ran_through_.reset();
  if (shuffled_) {
    Random random(launch_->seed() ^ mix(position));
    for (unsigned i = 0; i < total_; ++i) order_[i] = static_cast<std::uint16_t>(i);
    for (unsigned i = total_; i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    random_ = launch_->seed() + position;
  }
}

uint3 Block::coordinates(unsigned linear) const {
  const dim3& size = launch_->spec().block;
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

unsigned Block::order(unsigned position) const {
  return !shuffled_ ? position : order_[position];
}

Block::State Block::resume() {
  Context& context = assay_simt_context;
  const Context host = context;
  const LaunchSpec& spec = launch_->spec();
  blockIdx = index_;
  blockDim = spec.block;
  gridDim = spec.grid;
  context.shared = shared_;
  context.dynamic_shared = shared_ + dynamic_offset_;
  context.shared_bytes = static_cast<unsigned>(spec.shared_bytes);
  context.scheduler = this;
  context.turn = nullptr;
  if (fiber_ == nullptr) {
    enter_first_fiber();
  } else {
    go_on();
  }
  assay_simt_context = host;
  if (state_ == State::aborted) reclaim_fibers();
  return state_;
}

void Block::enter_first_fiber() {
  Context& context = assay_simt_context;
  Fiber* fiber = attached_ ? threads_[0].fiber : fibers_.take();
  if (fiber == nullptr) return give_up_for_memory();
  fiber_ = fiber;
  threadIdx = {0, 0, 0};
  context.row_end = launch_->spec().block.x;
  context.spins = 0;
  if (shuffled_) {
    begin_scheduling();
    begin_thread(order(0), fiber);
  }
  switch_from_worker(*fiber, fresh_context(fiber->top, &Block::fiber_main));
}

void Block::go_on() {
  if (state_ == State::at_grid_barrier) release_grid_waiters();
  const int choice = pick();
  current_ = static_cast<unsigned>(choice);  // a parked block has a thread to wake, never to start
  fiber_ = threads_[current_].fiber;
  threadIdx = threads_[current_].index;
  assay_simt_context.row_end = 0;
  switch_from_worker(*fiber_, threads_[current_].saved);
}

void Block::fiber_main() {
  static_cast<Block*>(assay_simt_context.scheduler)->enter_kernel();
  __builtin_unreachable();
}

void Block::enter_kernel() {
  arrive_on_fiber();
  launch_->spec().run(launch_->spec().closure);
  leave_finished_fiber(State::done);  // the plain loop has run every thread
}

bool Block::next_thread() {
  if (!scheduled_) {
    if (++row_ == rows_) return false;
    const unsigned height = launch_->spec().block.y;
    threadIdx = {0, row_ % height, row_ / height};
    return true;
  }
  if (in_turns_) end_in_turn();
  end_thread();
  if (exited_ == total_) leave_finished_fiber(State::done);
  const int choice = choose();
  if (choice == kStartAnother) {
    begin_thread(order(started_), fiber_);
    return true;
  }
  if (choice == kNothing) leave_finished_fiber(State::at_grid_barrier);
  resume_on_finished_fiber(static_cast<unsigned>(choice));
}

void Block::begin_scheduling() {
  if (attached_) detach_fibers(fiber_);
  lay_out_threads();
  const unsigned warps = (total_ + kWarpSize - 1) / kWarpSize;
  for (unsigned i = 0; i < warps; ++i) warps_[i].reset();
  scheduled_ = true;
  started_ = exited_ = current_ = ready_warps_ = idle_yields_ = 0;
  arrived_ = votes_ = at_grid_ = 0;
  assay_simt_context.row_end = 0;
}

void Block::ensure_scheduled() {
  if (scheduled_) {
    if (in_turns_) leave_turns();
    return;
  }
  // The plain loop runs threads in order: everyone before the current one has finished.
  const unsigned linear = linear_thread();
  begin_scheduling();
  for (unsigned warp = 0; warp * kWarpSize < linear; ++warp) {
    warps_[warp].started = warps_[warp].exited = lanes_before(warp, linear);
  }
  started_ = exited_ = linear;
  begin_thread(linear, fiber_);
}

void Block::begin_thread(unsigned linear, Fiber* fiber) {
  ++started_;
  idle_yields_ = 0;
  current_ = linear;
  warp_of(linear).started |= 1U << linear % kWarpSize;
  Thread& thread = threads_[linear];
  thread.wait = Wait::none;
  thread.fiber = fiber;
  threadIdx = thread.index;
  assay_simt_context.spins = 0;
}

void Block::end_thread() {
  Warp& warp = warp_of(current_);
  warp.exited |= 1U << current_ % kWarpSize;
  ++exited_;
  idle_yields_ = 0;
  threads_[current_].fiber = nullptr;
  for (unsigned i = 0; i < warp.group_count;) {
    if (warp.complete(warp.groups[i])) {
      finish_group(current_ / kWarpSize, i, 0);
    } else {
      ++i;
    }
  }
  release_if_all_arrived();
}

int Block::pick_shuffled() {
  unsigned candidates = started_ < total_ ? 1U : 0U;
  for (unsigned rest = ready_warps_; rest != 0; rest &= rest - 1) {
    candidates += static_cast<unsigned>(std::popcount(warps_[std::countr_zero(rest)].ready));
  }
  if (candidates == 0) return kNothing;
  Random random(random_++);
  unsigned chosen = random.below(candidates);
  for (unsigned rest = ready_warps_; rest != 0; rest &= rest - 1) {
    const auto warp = static_cast<unsigned>(std::countr_zero(rest));
    for (unsigned lanes = warps_[warp].ready; lanes != 0; lanes &= lanes - 1) {
      if (chosen-- == 0) return take_ready(warp, static_cast<unsigned>(std::countr_zero(lanes)));
    }
  }
  return kStartAnother;
}

void Block::access(char* address, std::size_t bytes, unsigned flags, const void* caller) {
  if (!shadow_ || (address >= fiber_->bottom && address < fiber_->top)) return;
  const Toucher who{scheduled_ ? current_ : linear_thread(),
                    linear_index_,
                    shadow_.get(),
                    shared_,
                    dynamic_offset_,
                    caller};
  if (!launch_->sanitizer()->check(who, address, bytes, flags)) abandon();
}

assay_simt_space Block::space_of(const char* address) const {
  if (address >= shared_ && address < shared_ + shared_capacity_) return ASSAY_SIMT_SPACE_SHARED;
  const Fiber& fiber = running_fiber();
  const bool local = address >= fiber.bottom && address < fiber.top;
  return local ? ASSAY_SIMT_SPACE_LOCAL : ASSAY_SIMT_SPACE_GLOBAL;
}

}  // namespace assay::simt
