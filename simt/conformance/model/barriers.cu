// __syncthreads and its voting forms, __syncwarp and the memory fences.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void neighbour_rounds(int* out, int rounds) {
  __shared__ int value[200];
  const int t = threadIdx.x, n = blockDim.x;
  value[t] = t;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    const int next = value[(t + 1) % n];
    __syncthreads();
    value[t] = next;
  }
  __syncthreads();
  out[blockIdx.x * n + t] = value[t];
}

CASE(barrier_in_a_loop_separates_reads_from_writes) {
  Buffer<int> out(3 * 200);
  neighbour_rounds<<<3, 200>>>(out.ptr(), 57);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>((i % 200 + 57) % 200); });
}

CASE(barrier_with_a_partial_last_warp) {
  Buffer<int> out(33);
  neighbour_rounds<<<1, 33>>>(out.ptr(), 10);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>((i + 10) % 33); });
}

__global__ void votes(int* count, int* all, int* any, int modulus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int predicate = threadIdx.x % modulus == 0 ? 5 : 0;
  count[i] = __syncthreads_count(predicate);
  all[i] = __syncthreads_and(predicate) != 0;
  any[i] = __syncthreads_or(predicate) != 0;
}

CASE(syncthreads_count_and_or) {
  for (const int modulus : {1, 3, 7, 32, 1000}) {
    constexpr int kThreads = 150;
    Buffer<int> count(2 * kThreads), all(2 * kThreads), any(2 * kThreads);
    votes<<<2, kThreads>>>(count.ptr(), all.ptr(), any.ptr(), modulus);
    EXPECT_EACH(count, [=](std::size_t) { return (kThreads + modulus - 1) / modulus; });
    EXPECT_EACH(all, [=](std::size_t) { return modulus == 1 ? 1 : 0; });
    EXPECT_EACH(any, [](std::size_t) { return 1; });
  }
}

__global__ void nobody_votes(int* any, int* count) {
  any[threadIdx.x] = __syncthreads_or(0);
  count[threadIdx.x] = __syncthreads_count(threadIdx.x > 5000);
}

CASE(votes_of_nobody) {
  Buffer<int> any(64), count(64);
  nobody_votes<<<1, 64>>>(any.ptr(), count.ptr());
  EXPECT_EACH(any, [](std::size_t) { return 0; });
  EXPECT_EACH(count, [](std::size_t) { return 0; });
}

// Iterates until no thread changed anything: the vote is the loop's condition.
__global__ void sort_by_votes(int* data, int* rounds) {
  __shared__ int value[64];
  const int t = threadIdx.x;
  value[2 * t] = data[2 * t];
  value[2 * t + 1] = data[2 * t + 1];
  int round = 0, changed = 1;
  while (__syncthreads_or(changed)) {
    changed = 0;
    for (int phase = 0; phase < 2; ++phase) {
      const int left = 2 * t + phase;
      if (left + 1 < 64 && value[left] > value[left + 1]) {
        const int keep = value[left];
        value[left] = value[left + 1];
        value[left + 1] = keep;
        changed = 1;
      }
      __syncthreads();
    }
    ++round;
  }
  data[2 * t] = value[2 * t];
  data[2 * t + 1] = value[2 * t + 1];
  if (t == 0) *rounds = round;
}

CASE(vote_as_a_loop_condition) {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = (i * 37 + 11) % 64;
  Buffer<int> data(values), rounds(1);
  sort_by_votes<<<1, 32>>>(data.ptr(), rounds.ptr());
  EXPECT_EACH(data, [](std::size_t i) { return static_cast<int>(i); });
  const int used = rounds.host()[0];
  EXPECT_TRUE(used >= 1 && used <= 33);
}

__device__ void barrier_inside() {
  __syncthreads();
}

__global__ void barrier_in_branches(int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  // The branch is the same for the whole block, so a barrier inside it is allowed.
  if (blockIdx.x % 2 == 0) {
    barrier_inside();
    out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
  } else {
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = tile[(threadIdx.x + 64) % 128];
  }
}

CASE(barrier_in_a_function_and_in_uniform_branches) {
  Buffer<int> out(4 * 128);
  barrier_in_branches<<<4, 128>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int t = static_cast<int>(i % 128);
    return i / 128 % 2 == 0 ? 127 - t : (t + 64) % 128;
  });
}

// A barrier waits for the threads that have not exited (programming guide, __syncthreads).
__global__ void early_exit(int* out, int n) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  if (t >= n) return;
  tile[t] = t * 2;
  __syncthreads();
  out[t] = tile[n - 1 - t];
  __syncthreads();
  tile[t] = t * 3;
  __syncthreads();
  out[t] += tile[(t + 1) % n];
}

CASE(exited_threads_are_not_waited_for) {
  constexpr int kLive = 70;
  Buffer<int> out(kLive);
  early_exit<<<1, 128>>>(out.ptr(), kLive);
  EXPECT_EACH(out, [](std::size_t i) {
    const int t = static_cast<int>(i);
    return 2 * (kLive - 1 - t) + 3 * ((t + 1) % kLive);
  });
}

__global__ void warp_exchange(int* out) {
  __shared__ int tile[96];
  const int t = threadIdx.x, base = t / 32 * 32;
  tile[t] = t;
  __syncwarp();
  const int next = tile[base + (t + 1) % 32];
  __syncwarp();
  tile[t] = next;
  __syncwarp();
  out[t] = tile[base + (t + 5) % 32];
}

CASE(syncwarp_orders_shared_memory_within_a_warp) {
  Buffer<int> out(96);
  warp_exchange<<<1, 96>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i / 32 * 32 + (i % 32 + 6) % 32); });
}

__global__ void half_warps(int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x;
  // The two halves take different paths and synchronise on their own masks, at different rates.
  if (lane < 16) {
    for (int round = 0; round < 4; ++round) {
      tile[lane] = lane + round;
      __syncwarp(0x0000ffffu);
      out[lane] = tile[15 - lane];
      __syncwarp(0x0000ffffu);
    }
  } else {
    tile[lane] = 100 + lane;
    __syncwarp(0xffff0000u);
    out[lane] = tile[47 - lane];
  }
}

CASE(syncwarp_with_partial_masks) {
  Buffer<int> out(32);
  half_warps<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int lane = static_cast<int>(i);
    return lane < 16 ? 15 - lane + 3 : 147 - lane;
  });
}

__device__ unsigned arrived = 0;

// The fence makes a block's partial sum visible before the block is counted: the last block to
// be counted reads all of them.
__global__ void last_block_sums(const int* in, int* partial, int* total) {
  __shared__ bool is_last;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += static_cast<volatile int*>(partial)[b];
    *total = all;
  }
}

CASE(threadfence_and_the_last_block) {
  constexpr int kBlocks = 40, kThreads = 64;
  Buffer<int> in(conformance::sequence<int>(kBlocks * kThreads)), partial(kBlocks), total(1);
  for (int repeat = 0; repeat < 3; ++repeat) {
    total.poison();
    last_block_sums<<<kBlocks, kThreads>>>(in.ptr(), partial.ptr(), total.ptr());
    constexpr int kLast = kBlocks * kThreads - 1;
    EXPECT_EACH(total, [](std::size_t) { return kLast * (kLast + 1) / 2; });
  }
}

__global__ void all_fences(int* out) {
  __shared__ int tile[64];
  volatile int* v = tile;
  v[threadIdx.x] = threadIdx.x;
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  __syncthreads();
  out[threadIdx.x] = v[63 - threadIdx.x];
}

CASE(every_fence_compiles_and_keeps_values) {
  Buffer<int> out(64);
  all_fences<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 63 - static_cast<int>(i); });
}
