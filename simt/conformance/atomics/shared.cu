// Atomics on shared memory.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void block_histogram(const unsigned char* in, int* out, int n) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&bins[in[blockIdx.x * n + i] % 16], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16) out[blockIdx.x * 16 + threadIdx.x] = bins[threadIdx.x];
}

CASE(histogram_of_each_block) {
  constexpr int kBlocks = 4, kEach = 777;
  std::vector<unsigned char> values(kBlocks * kEach);
  conformance::Random random(2);
  for (unsigned char& value : values) value = static_cast<unsigned char>(random.bits());
  Buffer<unsigned char> in(values);
  Buffer<int> out(kBlocks * 16);
  block_histogram<<<kBlocks, 100>>>(in.ptr(), out.ptr(), kEach);
  std::vector<int> want(kBlocks * 16, 0);
  for (int i = 0; i < kBlocks * kEach; ++i) ++want[i / kEach * 16 + values[i] % 16];
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

__global__ void every_operation(unsigned* out) {
  __shared__ unsigned cells[10];
  const unsigned t = threadIdx.x;
  if (t < 10) cells[t] = t == 2 || t == 4 ? 0xffffffffu : 0u;
  __syncthreads();
  atomicAdd(&cells[0], t);
  atomicSub(&cells[1], 1u);
  atomicMin(&cells[2], t + 40);
  atomicMax(&cells[3], t * t);
  atomicAnd(&cells[4], ~(1u << (t % 32)) | 1u);
  atomicOr(&cells[5], 1u << (t % 16));
  atomicXor(&cells[6], t);
  atomicInc(&cells[7], 12u);
  atomicCAS(&cells[8], 0u, 99u);
  atomicExch(&cells[9], 55u);
  __syncthreads();
  if (t < 10) out[blockIdx.x * 10 + t] = cells[t];
}

CASE(every_operation_on_shared_cells) {
  constexpr unsigned kThreads = 100;
  Buffer<unsigned> out(3 * 10);
  every_operation<<<3, kThreads>>>(out.ptr());
  unsigned parity = 0;
  for (unsigned t = 0; t < kThreads; ++t) parity ^= t;
  const unsigned want[10] = {4950u,   0u - 100u, 40u,           99u * 99u, 1u,
                             0xffffu, parity,    kThreads % 13, 99u,       55u};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i % 10]; });
}

__global__ void wide_cells(unsigned long long* out, long long* extremes) {
  __shared__ unsigned long long sum, last;
  __shared__ long long least, most;
  if (threadIdx.x == 0) {
    sum = last = 0;
    least = most = 0;
  }
  __syncthreads();
  const long long mine = (static_cast<long long>(threadIdx.x) - 60) * (1ll << 35);
  atomicAdd(&sum, 1ull << 40);
  atomicMin(&least, mine);
  atomicMax(&most, mine);
  atomicExch(&last, 8ull << 50);
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = last;
    extremes[0] = least;
    extremes[1] = most;
  }
}

CASE(sixty_four_bit_cells) {
  Buffer<unsigned long long> out(2);
  Buffer<long long> extremes(2);
  wide_cells<<<1, 100>>>(out.ptr(), extremes.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i == 0 ? 100ull << 40 : 8ull << 50; });
  EXPECT_EACH(extremes, [](std::size_t i) { return (i == 0 ? -60ll : 39ll) * (1ll << 35); });
}

// Threads draw places in a shared list; the order is open, the contents are not.
__global__ void shared_append(const int* in, int* out, int* counts) {
  __shared__ int list[128];
  __shared__ int used;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  const int value = in[blockIdx.x * 128 + threadIdx.x];
  if (value % 3 == 0) list[atomicAdd(&used, 1)] = value;
  __syncthreads();
  if (threadIdx.x < used) out[blockIdx.x * 128 + threadIdx.x] = list[threadIdx.x];
  if (threadIdx.x == 0) counts[blockIdx.x] = used;
}

CASE(appending_to_a_shared_list) {
  Buffer<int> in(conformance::sequence<int>(256)), out(256), counts(2);
  shared_append<<<2, 128>>>(in.ptr(), out.ptr(), counts.ptr());
  EXPECT_EACH(counts, [](std::size_t) { return 43; });
  const std::vector<int> got = out.host();
  std::vector<int> seen(256, 0);
  for (int i = 0; i < 256; ++i) {
    if (i % 128 < 43 && got[i] >= 0 && got[i] < 256) ++seen[got[i]];
  }
  EXPECT_EACH(seen, [](std::size_t value) { return value % 3 == 0 ? 1 : 0; });
}
