#pragma once

#include <atomic>
#include <type_traits>

#include "assay/simt/atomic.hpp"
#include "assay/simt/cuda_std.hpp"

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread,
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

inline void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system) {
  ::std::atomic_thread_fence(order);
}

namespace details {

/// std::atomic or std::atomic_ref with CUDA's additions. Loads and failed exchanges count as
/// polls: in a loop they let the other threads of the block run.
template <class Base, class T>
class Atomic : public Base {
 public:
  using Base::Base;
  Atomic(const Atomic&) = default;
  using value_type = T;

  T load(memory_order order = memory_order_seq_cst) const {
    assay::simt::polled(true);
    return Base::load(order);
  }
  operator T() const { return load(); }
  T operator=(T value) const {
    const_cast<Atomic*>(this)->store(value);
    return value;
  }
  T exchange(T value, memory_order order = memory_order_seq_cst) {
    const T old = Base::exchange(value, order);
    assay::simt::polled(old == value);
    return old;
  }
  bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order_seq_cst) {
    const bool swapped = Base::compare_exchange_strong(expected, value, order);
    assay::simt::polled(!swapped);
    return swapped;
  }
  bool compare_exchange_strong(T& expected, T value, memory_order success, memory_order failure) {
    const bool swapped = Base::compare_exchange_strong(expected, value, success, failure);
    assay::simt::polled(!swapped);
    return swapped;
  }
  bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order_seq_cst) {
    return compare_exchange_strong(expected, value, order);
  }
  bool compare_exchange_weak(T& expected, T value, memory_order success, memory_order failure) {
    return compare_exchange_strong(expected, value, success, failure);
  }
  T fetch_min(T value, memory_order order = memory_order_seq_cst) {
    T old = Base::load(memory_order_relaxed);
    while (value < old && !Base::compare_exchange_weak(old, value, order)) {
    }
    return old;
  }
  T fetch_max(T value, memory_order order = memory_order_seq_cst) {
    T old = Base::load(memory_order_relaxed);
    while (old < value && !Base::compare_exchange_weak(old, value, order)) {
    }
    return old;
  }
  void wait(T old, memory_order order = memory_order_seq_cst) const {
    while (Base::load(order) == old) assay_simt_yield();
  }
  void notify_one() const {}
  void notify_all() const {}
};

}  // namespace details

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public details::Atomic<::std::atomic<T>, T> {
 public:
  using details::Atomic<::std::atomic<T>, T>::Atomic;
  atomic() = default;
  constexpr atomic(T value) : details::Atomic<::std::atomic<T>, T>(value) {}
  atomic(const atomic&) = delete;
  T operator=(T value) {
    this->store(value);
    return value;
  }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public details::Atomic<::std::atomic_ref<T>, T> {
 public:
  explicit atomic_ref(T& object) : details::Atomic<::std::atomic_ref<T>, T>(object) {}
  atomic_ref(const atomic_ref&) = default;
  T operator=(T value) const {
    const_cast<atomic_ref*>(this)->store(value);
    return value;
  }
};

template <thread_scope Scope = thread_scope_system>
using atomic_flag = ::std::atomic_flag;

}  // namespace cuda
