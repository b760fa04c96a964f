#pragma once

#include <cstddef>
#include <cstring>

#include "assay/simt/cuda_barrier.hpp"
#include "assay/simt/groups.hpp"

// Pipelines of asynchronous copies. A copy is done when it is asked for. Hardware may choose that
// moment too. What is left to do is that a group's threads wait for each other's copies.
namespace cuda {

template <thread_scope Scope, unsigned Stages>
struct pipeline_shared_state {
  int unused;
};
enum class pipeline_role { producer, consumer };

template <thread_scope Scope>
class pipeline {
 public:
  void producer_acquire() {}
  void producer_commit() {}
  void consumer_wait(unsigned line = __builtin_LINE()) const {
    if constexpr (Scope == thread_scope_block) __syncthreads(line);
  }
  void consumer_release(unsigned line = __builtin_LINE()) const {
    // The next copy into this stage may only start when all have read it.
    if constexpr (Scope == thread_scope_block) __syncthreads(line);
  }
  [[nodiscard]] bool quit() { return true; }
};

inline pipeline<thread_scope_thread> make_pipeline() {
  return {};
}
template <class Group, thread_scope Scope, unsigned Stages>
pipeline<Scope> make_pipeline(const Group&, pipeline_shared_state<Scope, Stages>*) {
  return {};
}

template <unsigned Prior>
void pipeline_consumer_wait_prior(const pipeline<thread_scope_thread>&) {}

template <class Size, thread_scope Scope>
void memcpy_async(void* to, const void* from, Size bytes, pipeline<Scope>&) {
  ::std::memcpy(to, from, static_cast<::std::size_t>(bytes));
}
template <class Group, class Size, thread_scope Scope>
void memcpy_async(const Group& group, void* to, const void* from, Size bytes, pipeline<Scope>&) {
  if (group.thread_rank() == 0) ::std::memcpy(to, from, static_cast<::std::size_t>(bytes));
}

}  // namespace cuda

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                    std::size_t zero_fill = 0) {
  std::memcpy(to, from, bytes - zero_fill);
  std::memset(static_cast<char*>(to) + (bytes - zero_fill), 0, zero_fill);
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {}
