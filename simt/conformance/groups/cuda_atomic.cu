// cuda::atomic and cuda::atomic_ref: scoped atomics with memory orders.
#include <cuda/atomic>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void count_with_reference(int* counter, unsigned* bits) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(*counter);
  cuda::atomic_ref<unsigned, cuda::thread_scope_system> mask(*bits);
  count.fetch_add(2, cuda::std::memory_order_relaxed);
  mask.fetch_or(1u << (threadIdx.x % 20));
}

CASE(atomic_reference_to_plain_memory) {
  Buffer<int> counter(1, 0);
  Buffer<unsigned> bits(1, 0u);
  count_with_reference<<<6, 80>>>(counter.ptr(), bits.ptr());
  EXPECT_EACH(counter, [](std::size_t) { return 960; });
  EXPECT_EACH(bits, [](std::size_t) { return 0xfffffu; });
}

// The payload is plain memory: the release store and the acquire load make it visible.
__global__ void publish(int* payload, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x == 0) {
    *payload = 321;
    ready.store(1, cuda::std::memory_order_release);
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
  }
  out[threadIdx.x] = *payload;
}

CASE(release_and_acquire) {
  Buffer<int> payload(1), flag(1, 0), out(64);
  publish<<<1, 64>>>(payload.ptr(), flag.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t) { return 321; });
}

__global__ void exchange_and_compare(long long* cell, int* wins) {
  cuda::atomic_ref<long long, cuda::thread_scope_device> value(*cell);
  long long seen = value.load();
  while (!value.compare_exchange_weak(seen, seen + 3)) {
  }
  long long expected = -1;
  if (value.compare_exchange_strong(expected, 0)) atomicAdd(wins, 1);
}

CASE(compare_exchange) {
  Buffer<long long> cell(1, 10ll);
  Buffer<int> wins(1, 0);
  exchange_and_compare<<<3, 50>>>(cell.ptr(), wins.ptr());
  EXPECT_EACH(cell, [](std::size_t) { return 10ll + 450; });
  EXPECT_EACH(wins, [](std::size_t) { return 0; });
}

__global__ void shared_atomics(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> total;
  if (threadIdx.x == 0) total.store(0);
  __syncthreads();
  total += static_cast<int>(threadIdx.x);
  __syncthreads();
  total.fetch_max(1000 + static_cast<int>(threadIdx.x) * 20);
  __syncthreads();
  out[threadIdx.x] = total.load();
  cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_block);
}

CASE(atomic_object_in_shared_memory) {
  Buffer<int> out(64);
  shared_atomics<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t) { return 2260; });
}
