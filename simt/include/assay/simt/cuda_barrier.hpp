#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "assay/simt/cuda_atomic.hpp"
#include "assay/simt/groups.hpp"

namespace cuda {

/// Counts threads in; the last one of a phase starts the next. Waiting yields to other threads.
template <thread_scope Scope, class Completion = void>
class barrier {
 public:
  using arrival_token = unsigned;

  barrier() = default;
  explicit barrier(::std::ptrdiff_t expected) { reset(expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  void reset(::std::ptrdiff_t expected) {
    expected_ = static_cast<int>(expected);
    pending_ = static_cast<int>(expected);
    phase_ = 0;
  }

  [[nodiscard]] arrival_token arrive(::std::ptrdiff_t count = 1) {
    const unsigned phase = __atomic_load_n(&phase_, __ATOMIC_ACQUIRE);
    if (__atomic_sub_fetch(&pending_, static_cast<int>(count), __ATOMIC_ACQ_REL) == 0) {
      __atomic_store_n(&pending_, __atomic_load_n(&expected_, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
      __atomic_store_n(&phase_, phase + 1, __ATOMIC_RELEASE);
    }
    return phase;
  }
  void wait(arrival_token&& phase) const { wait_while(phase); }
  void wait_parity(bool parity) const {
    while ((__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) & 1U) == (parity ? 1U : 0U)) {
      assay_simt_yield();
    }
  }
  void arrive_and_wait() { wait_while(arrive()); }
  void arrive_and_drop() {
    __atomic_sub_fetch(&expected_, 1, __ATOMIC_ACQ_REL);
    static_cast<void>(arrive());
  }
  [[nodiscard]] static constexpr ::std::ptrdiff_t max() { return 1 << 20; }

 private:
  void wait_while(unsigned phase) const {
    while (__atomic_load_n(&phase_, __ATOMIC_ACQUIRE) == phase) assay_simt_yield();
  }

  int expected_;
  int pending_;
  unsigned phase_;
};

template <thread_scope Scope>
void init(barrier<Scope>* target, ::std::ptrdiff_t expected) {
  target->reset(expected);
}

/// A size known to be a multiple of the alignment. Here the alignment has no effect.
template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  explicit aligned_size_t(::std::size_t size) : value(size) {}
  operator ::std::size_t() const { return value; }
};

// Copies are done when the call returns; the barrier they are bound to completes as always.
template <class Size, thread_scope Scope>
void memcpy_async(void* to, const void* from, Size bytes, barrier<Scope>&) {
  ::std::memcpy(to, from, static_cast<::std::size_t>(bytes));
}
template <class Group, class Size, thread_scope Scope>
void memcpy_async(const Group& group, void* to, const void* from, Size bytes, barrier<Scope>&) {
  if (group.thread_rank() == 0) ::std::memcpy(to, from, static_cast<::std::size_t>(bytes));
}

template <thread_scope Scope>
class latch {
 public:
  explicit latch(::std::ptrdiff_t expected) : left_(static_cast<int>(expected)) {}
  void count_down(::std::ptrdiff_t count = 1) {
    __atomic_sub_fetch(&left_, static_cast<int>(count), __ATOMIC_ACQ_REL);
  }
  [[nodiscard]] bool try_wait() const { return __atomic_load_n(&left_, __ATOMIC_ACQUIRE) == 0; }
  void wait() const {
    while (!try_wait()) assay_simt_yield();
  }
  void arrive_and_wait(::std::ptrdiff_t count = 1) {
    count_down(count);
    wait();
  }

 private:
  int left_;
};

template <thread_scope Scope, ::std::ptrdiff_t Most = (1 << 30)>
class counting_semaphore {
 public:
  explicit counting_semaphore(::std::ptrdiff_t count) : count_(static_cast<int>(count)) {}
  void release(::std::ptrdiff_t count = 1) {
    __atomic_add_fetch(&count_, static_cast<int>(count), __ATOMIC_ACQ_REL);
  }
  [[nodiscard]] bool try_acquire() {
    int seen = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
    while (seen > 0) {
      if (__atomic_compare_exchange_n(&count_, &seen, seen - 1, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        return true;
      }
    }
    return false;
  }
  void acquire() {
    while (!try_acquire()) assay_simt_yield();
  }

 private:
  int count_;
};
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

}  // namespace cuda
