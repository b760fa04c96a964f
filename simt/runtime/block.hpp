#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "assay/simt/turn.hpp"
#include "fiber.hpp"
#include "launch.hpp"
#include "warp.hpp"

namespace assay::simt {

inline constexpr unsigned kMaxThreads = 1024;

/// The threads of one CUDA block, run by turns on one OS thread.
///
/// While no thread waits for another, one fiber runs them all in a plain loop and none of the
/// state below is touched. The first one that waits makes the block `scheduled`: from then on each
/// waiting thread keeps its fiber, and others go on with the threads not yet started.
class Block {
 public:
  enum class State : std::uint8_t {
    done,
    at_grid_barrier,  // every live thread waits in grid.sync()
    spinning,         // every live thread polls for something this block cannot bring about
    aborted,
  };

  explicit Block(FiberPool& fibers) : fibers_(fibers) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  /// Readies this for blocks of `launch`. False: no memory.
  [[nodiscard]] bool prepare(Launch& launch);
  /// How far the blocks since then wrote past their shared memory, if one did.
  [[nodiscard]] std::optional<std::size_t> written_past_shared() const;
  /// Makes this the block that runs as number `position`.
  void start(std::uint64_t position);
  /// Forgets a parked block's threads: the launch has failed.
  void discard() { reclaim_fibers(); }
  /// Runs until the block can do no more by itself. Called on the OS thread's own stack.
  State resume();

  // What kernels call; on a fiber of this block.
  bool next_thread();
  int barrier(BarrierOp op, int predicate, unsigned line);
  std::uint64_t warp_operation(WarpOp op, unsigned mask, std::uint64_t value, unsigned argument,
                               unsigned line);
  unsigned active_mask(unsigned line);
  void grid_barrier(unsigned line);
  void note_ran_through() { ran_through_.set(linear_thread()); }
  void yield();
  /// Records the finding, gives the block up and never returns.
  [[noreturn]] void fail(const assay_simt_finding& finding, int status);

  /// A load or store of instrumented code.
  void access(char* address, std::size_t bytes, unsigned flags, const void* caller);
  [[nodiscard]] assay_simt_space space_of(const char* address) const;
  [[nodiscard]] Launch& launch() { return *launch_; }
  [[nodiscard]] const Fiber& running_fiber() const {
    const Turn* turn = assay_simt_context.turn;
    return turn == nullptr ? *fiber_ : *static_cast<const Thread*>(turn)->fiber;
  }
  [[nodiscard]] std::uint32_t grid_generation() const { return grid_generation_; }
  /// Gives the block up without running its threads any further.
  [[noreturn]] void abandon();

 private:
  enum class Wait : std::uint8_t { none, barrier, warp, active_mask, grid };
  /// One cache line: a barrier walks over all of them.
  struct alignas(64) Thread : Turn {
    Fiber* fiber = nullptr;
    Wait wait = Wait::none;
  };
  static_assert(sizeof(Thread) == kTurnStride);
  /// What runs next: a suspended thread, a fresh one, or nothing.
  static constexpr int kStartAnother = -1;
  static constexpr int kNothing = -2;

  static void fiber_main();
  static void make_fresh(Thread& thread) {
    thread.saved = fresh_context(thread.fiber->top, &Block::fiber_main);
  }
  static void wrap_around();
  static bool is_fresh(const Thread& thread) {
    return thread.saved.resume == reinterpret_cast<void*>(&Block::fiber_main);
  }
  void enter_first_fiber();
  void enter_kernel();
  void go_on();
  [[nodiscard]] bool reserve_shared();
  [[nodiscard]] std::size_t shared_end() const {
    return dynamic_offset_ + launch_->spec().shared_bytes;
  }
  [[nodiscard]] uint3 coordinates(unsigned linear) const;
  [[nodiscard]] unsigned order(unsigned position) const;

  void begin_scheduling();
  void ensure_scheduled();
  [[nodiscard]] bool may_take_turns();
  [[nodiscard]] bool start_in_turns();
  void go_on_in_turns(unsigned line);
  void take_turns();
  int barrier_in_turn(BarrierOp op, int predicate, unsigned line);
  [[nodiscard]] bool takes_warp_turn(WarpOp op, unsigned mask);
  std::uint64_t warp_operation_in_turn(WarpOp op, std::uint64_t value, unsigned argument,
                                       unsigned line);
  void end_in_turn();
  void leave_turns();
  void lay_out_threads();
  [[nodiscard]] bool attach_fibers();
  void detach_fibers(const Fiber* except);
  [[nodiscard]] int barrier_result(BarrierOp op) const;
  void begin_thread(unsigned linear, Fiber* fiber);
  void end_thread();
  [[nodiscard]] Warp& warp_of(unsigned linear) { return warps_[linear / kWarpSize]; }
  [[nodiscard]] unsigned lanes_in(unsigned warp) const { return lanes_before(warp, total_); }
  /// The lanes of the warp whose threads come before `linear` in the block.
  [[nodiscard]] static unsigned lanes_before(unsigned warp, unsigned linear) {
    const unsigned first = warp * kWarpSize;
    if (linear <= first) return 0;
    return linear - first >= kWarpSize ? ~0U : (1U << (linear - first)) - 1;
  }
  [[nodiscard]] bool is_live(unsigned linear) const;
  [[nodiscard]] assay_simt_place place_of(unsigned linear) const;

  [[nodiscard]] int pick();
  [[nodiscard]] int pick_after(unsigned warp, unsigned lane);
  [[nodiscard]] int pick_shuffled();
  [[nodiscard]] int take_ready(unsigned warp, unsigned lane);
  void suspend(Wait wait, unsigned line);
  void go_on_with(int choice);
  void prefetch_after(unsigned linear) const;

  void switch_from_worker(const Fiber& fiber, const MachineContext& to);
  void switch_threads(Thread& from, const Fiber& fiber, const MachineContext& to);
  void switch_to_worker(MachineContext& from, void** fake_stack);
  void arrive_on_fiber();
  /// Back to the OS thread's stack, to go on later with the thread that called.
  void park(State state);
  [[noreturn]] void leave_finished_fiber(State state);
  [[noreturn]] void resume_on_finished_fiber(unsigned linear);
  void give_up_for_memory();
  void reclaim_fibers();

  void wake(unsigned warp, unsigned lanes);
  void finish_group(unsigned warp, unsigned group, unsigned running);
  void release_barrier();
  void release_if_all_arrived();
  void release_grid_waiters();
  void resolve_converging(unsigned warp);
  /// Resolves stalls and chooses what runs next. Nothing if the block waits at the grid's barrier.
  [[nodiscard]] int choose();
  [[nodiscard]] bool resolve_any_converging();
  [[noreturn]] void report_deadlock();
  /// Reports threads that went around the barrier. Threads that returned before it do not count:
  /// nobody waits for them on a GPU either.
  void report_missing_threads();
  void check_barrier_line(unsigned line);
  void check_warp_mask(unsigned mask, unsigned lane, unsigned line);

  FiberPool& fibers_;
  Launch* launch_ = nullptr;
  MachineContext worker_;
  State state_ = State::done;
  Fiber* fiber_ = nullptr;  // the one that runs

  uint3 index_{};
  std::uint64_t linear_index_ = 0;  // of the block in the grid
  unsigned total_ = 0;              // threads in the block
  unsigned row_ = 0;                // of the plain loop
  unsigned rows_ = 0;
  bool scheduled_ = false;
  // Threads pass barriers in turns. Each goes from one barrier to the next in its turn. Beside that
  // it takes part only in operations of its whole warp. The threads before the one that has the
  // turn wait at the barrier. Those after it are ready or not yet started. The state of warps is
  // not kept. assay_simt_context.turn says which thread runs, or `current_` if that is null.
  bool in_turns_ = false;
  // The lanes before the current one wait in an operation of their warp. Nobody has the turn. If a
  // barrier comes now, some threads do not come to it.
  bool warp_pending_ = false;
  WarpOp pending_op_ = WarpOp::sync;
  // The first thread has ended in its turn. So have all before the current one, or before its warp
  // if an operation of the warp is pending. Nobody has the turn.
  bool ending_ = false;
  // Every thread has a stack of its own, and keeps it between blocks.
  bool attached_ = false;
  bool shuffled_ = false;
  bool checks_sync_ = false;
  std::bitset<kMaxThreads> ran_through_;  // to the kernel's end; of instrumented ones
  unsigned started_ = 0;
  unsigned exited_ = 0;
  unsigned current_ = 0;
  unsigned ready_warps_ = 0;
  unsigned idle_yields_ = 0;

  unsigned arrived_ = 0;  // at the block's barrier
  unsigned barrier_line_ = 0;
  unsigned votes_ = 0;
  unsigned barrier_votes_ = 0;  // of the last barrier that completed
  unsigned barrier_arrivals_ = 0;
  unsigned at_grid_ = 0;
  std::uint32_t grid_generation_ = 0;

  Warp warps_[kMaxThreads / kWarpSize];
  Thread threads_[kMaxThreads + 1];  // the one behind the block's last leads back to the first
  Fiber* wrapping_ = nullptr;        // the stack for that
  uint3 laid_out_{};                 // the size of block that the threads' indices are for
  std::unique_ptr<std::uint16_t[]> order_;  // only under a seed
  std::uint64_t random_ = 0;

  std::unique_ptr<BlockShadow> shadow_;  // only while accesses are checked
  char* shared_ = nullptr;
  std::size_t shared_capacity_ = 0;
  std::size_t dynamic_offset_ = 0;
#if defined(__SANITIZE_ADDRESS__)
  [[nodiscard]] bool is_fiber_stack(const void* bottom) const;
  const void* worker_bottom_ = nullptr;
  std::size_t worker_bytes_ = 0;
#endif
};

}  // namespace assay::simt
