// Sums and maxima, in the steps in which they are usually taught.
#include <algorithm>
#include <numeric>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kCount = 10000, kThreads = 128;

// Neighbours are added first: half of every warp is idle from the start.
__global__ void interleaved(const int* in, int* out, int n) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (t % (2 * stride) == 0) tile[t] += tile[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

// The active threads stay together: whole warps fall idle.
__global__ void sequential(const int* in, int* out, int n) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (t < stride) tile[t] += tile[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

// Each thread adds two elements on loading, and the last warp needs no block-wide barrier.
template <int Threads>
__global__ void unrolled(const int* in, int* out, int n) {
  __shared__ int tile[Threads];
  const int t = threadIdx.x, i = blockIdx.x * 2 * Threads + t;
  tile[t] = (i < n ? in[i] : 0) + (i + Threads < n ? in[i + Threads] : 0);
  __syncthreads();
  if constexpr (Threads >= 256) {
    if (t < 128) tile[t] += tile[t + 128];
    __syncthreads();
  }
  if constexpr (Threads >= 128) {
    if (t < 64) tile[t] += tile[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    int sum = tile[t] + tile[t + 32];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (t == 0) out[blockIdx.x] = sum;
  }
}

// Any number of blocks covers any length; one atomic per warp ends it.
__global__ void grid_stride(const int* in, int* total, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

static const std::vector<int>& input() {
  static const std::vector<int> values = conformance::random_ints(kCount, 1000, 40);
  return values;
}

static void expect_total(const std::vector<int>& partial) {
  EXPECT_EQ(std::accumulate(partial.begin(), partial.end(), 0),
            std::accumulate(input().begin(), input().end(), 0));
}

CASE(interleaved_addressing) {
  constexpr int kBlocks = (kCount + kThreads - 1) / kThreads;
  Buffer<int> in(input()), out(kBlocks);
  interleaved<<<kBlocks, kThreads>>>(in.ptr(), out.ptr(), kCount);
  expect_total(out.host());
}

CASE(sequential_addressing) {
  constexpr int kBlocks = (kCount + kThreads - 1) / kThreads;
  Buffer<int> in(input()), out(kBlocks);
  sequential<<<kBlocks, kThreads>>>(in.ptr(), out.ptr(), kCount);
  expect_total(out.host());
}

CASE(unrolled_last_warp) {
  Buffer<int> in(input()), small((kCount + 127) / 128), large((kCount + 511) / 512);
  unrolled<64><<<(kCount + 127) / 128, 64>>>(in.ptr(), small.ptr(), kCount);
  unrolled<256><<<(kCount + 511) / 512, 256>>>(in.ptr(), large.ptr(), kCount);
  expect_total(small.host());
  expect_total(large.host());
}

CASE(grid_stride_with_atomics) {
  Buffer<int> in(input()), total(1, 0);
  grid_stride<<<7, 96>>>(in.ptr(), total.ptr(), kCount);
  expect_total(total.host());
}

CASE(two_passes) {
  constexpr int kBlocks = (kCount + kThreads - 1) / kThreads;  // 79 partial sums, one more block
  Buffer<int> in(input()), partial(kBlocks), total(1);
  sequential<<<kBlocks, kThreads>>>(in.ptr(), partial.ptr(), kCount);
  sequential<<<1, kThreads>>>(partial.ptr(), total.ptr(), kBlocks);
  expect_total(total.host());
}

struct Best {
  float value;
  int index;
};

__device__ Best better(Best a, Best b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.index < b.index ? a : b;
}

__global__ void arg_max(const float* in, Best* out, int n) {
  __shared__ Best best[kThreads];
  Best mine{-INFINITY, n};
  for (int i = threadIdx.x; i < n; i += kThreads) mine = better(mine, Best{in[i], i});
  best[threadIdx.x] = mine;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) {
      best[threadIdx.x] = better(best[threadIdx.x], best[threadIdx.x + stride]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = best[0];
}

CASE(arg_max_keeps_the_first_of_equals) {
  std::vector<float> values = conformance::random_floats(5000, -1, 1, 6);
  values[4000] = values[1234] = values[1300] = 1.5f;
  Buffer<float> in(values);
  Buffer<Best> out(1);
  arg_max<<<1, kThreads>>>(in.ptr(), out.ptr(), 5000);
  const Best got = out.host()[0];
  EXPECT_EQ(got.index, 1234);
  EXPECT_EQ(got.value, 1.5f);
}

__global__ void dot_product(const float* a, const float* b, double* out, int n) {
  __shared__ double partial[kThreads];
  double sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    sum += static_cast<double>(a[i]) * b[i];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

CASE(dot_product_in_double) {
  const std::vector<float> x = conformance::random_floats(kCount, -1, 1, 7);
  const std::vector<float> y = conformance::random_floats(kCount, -1, 1, 8);
  Buffer<float> a(x), b(y);
  Buffer<double> out(1, 0.0);
  dot_product<<<9, kThreads>>>(a.ptr(), b.ptr(), out.ptr(), kCount);
  double want = 0;
  for (int i = 0; i < kCount; ++i) want += static_cast<double>(x[i]) * y[i];
  EXPECT_NEAR(out, 1e-10, 1e-12, [=](std::size_t) { return want; });
}

// Mean and variance together, merging partial results as Welford and Chan do.
struct Moments {
  float count, mean, squares;
};

__device__ Moments merge(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0) return a;
  const float delta = b.mean - a.mean;
  return {count, a.mean + delta * b.count / count,
          a.squares + b.squares + delta * delta * a.count * b.count / count};
}

__global__ void mean_and_variance(const float* in, float* out, int n) {
  Moments mine{0, 0, 0};
  for (int i = threadIdx.x; i < n; i += 32) mine = merge(mine, Moments{1, in[i], 0});
  for (int offset = 16; offset > 0; offset /= 2) {
    const Moments other{__shfl_xor_sync(0xffffffffu, mine.count, offset),
                        __shfl_xor_sync(0xffffffffu, mine.mean, offset),
                        __shfl_xor_sync(0xffffffffu, mine.squares, offset)};
    mine = merge(mine, other);
  }
  if (threadIdx.x == 0) {
    out[0] = mine.mean;
    out[1] = mine.squares / n;
  }
}

CASE(welford_mean_and_variance) {
  const std::vector<float> values = conformance::random_floats(3000, 99, 101, 9);
  Buffer<float> in(values), out(2);
  mean_and_variance<<<1, 32>>>(in.ptr(), out.ptr(), 3000);
  double mean = 0, squares = 0;
  for (const float value : values) mean += value / 3000.0;
  for (const float value : values) squares += (value - mean) * (value - mean) / 3000.0;
  EXPECT_NEAR(out, 0, 1e-4, [=](std::size_t i) { return i == 0 ? mean : squares; });
}
