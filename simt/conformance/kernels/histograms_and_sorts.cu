// Histograms, and sorting by networks, digits and merging.
#include <algorithm>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[in[i]], 1u);
  }
}

// Each block counts privately in shared memory and adds its counts once.
__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i]], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
  }
}

// One copy of the bins per warp: fewer threads meet at one counter.
__global__ void histogram_per_warp(const unsigned char* in, unsigned* bins, int n) {
  extern __shared__ unsigned copies[];
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int i = threadIdx.x; i < warps * 256; i += blockDim.x) copies[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&copies[warp * 256 + in[i]], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < warps; ++w) sum += copies[w * 256 + bin];
    if (sum != 0) atomicAdd(&bins[bin], sum);
  }
}

static std::vector<unsigned char> skewed_bytes(int n) {
  conformance::Random random(50);
  std::vector<unsigned char> bytes(n);
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(random.below(16) == 0 ? random.below(256) : random.below(4));
  }
  return bytes;
}

static void expect_counts(const Buffer<unsigned>& bins, const std::vector<unsigned char>& bytes) {
  std::vector<unsigned> want(256, 0);
  for (const unsigned char byte : bytes) ++want[byte];
  EXPECT_EACH(bins, [&](std::size_t i) { return want[i]; });
}

CASE(histogram_in_three_ways) {
  constexpr int kCount = 20000;
  const std::vector<unsigned char> bytes = skewed_bytes(kCount);
  Buffer<unsigned char> in(bytes);
  Buffer<unsigned> a(256, 0u), b(256, 0u), c(256, 0u);
  histogram_global<<<8, 128>>>(in.ptr(), a.ptr(), kCount);
  histogram_shared<<<8, 128>>>(in.ptr(), b.ptr(), kCount);
  histogram_per_warp<<<8, 128, 4 * 256 * sizeof(unsigned)>>>(in.ptr(), c.ptr(), kCount);
  expect_counts(a, bytes);
  expect_counts(b, bytes);
  expect_counts(c, bytes);
}

// Batcher's bitonic network for one block, in shared memory.
__global__ void bitonic_block(int* data) {
  extern __shared__ int keys[];
  const int t = threadIdx.x, n = blockDim.x;
  keys[t] = data[blockIdx.x * n + t];
  for (int size = 2; size <= n; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int partner = t ^ stride;
      const int mine = keys[t], theirs = keys[partner];
      const bool ascending = (t & size) == 0, keep_smaller = (t < partner) == ascending;
      __syncthreads();
      keys[t] = keep_smaller ? min(mine, theirs) : max(mine, theirs);
    }
  }
  __syncthreads();
  data[blockIdx.x * n + t] = keys[t];
}

CASE(bitonic_sort_of_blocks) {
  constexpr int kBlocks = 3, kEach = 256;
  std::vector<int> values = conformance::random_ints(kBlocks * kEach, 1000, 51);
  Buffer<int> data(values);
  bitonic_block<<<kBlocks, kEach, kEach * sizeof(int)>>>(data.ptr());
  for (int b = 0; b < kBlocks; ++b) {
    std::sort(values.begin() + b * kEach, values.begin() + (b + 1) * kEach);
  }
  EXPECT_EACH(data, [&](std::size_t i) { return values[i]; });
}

// The same network over global memory: one launch per step.
__global__ void bitonic_step(float* data, int stride, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ stride;
  if (partner <= i) return;
  const bool ascending = (i & size) == 0;
  if ((data[i] > data[partner]) == ascending) {
    const float keep = data[i];
    data[i] = data[partner];
    data[partner] = keep;
  }
}

CASE(bitonic_sort_over_launches) {
  constexpr int kCount = 1024;
  std::vector<float> values = conformance::random_floats(kCount, -100, 100, 52);
  Buffer<float> data(values);
  for (int size = 2; size <= kCount; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      bitonic_step<<<kCount / 128, 128>>>(data.ptr(), stride, size);
    }
  }
  std::sort(values.begin(), values.end());
  EXPECT_EACH(data, [&](std::size_t i) { return values[i]; });
}

// One bit of a stable radix sort: zeros first, ones after them, places by a prefix sum.
__global__ void radix_block(unsigned* data, int bits) {
  __shared__ unsigned keys[256];
  __shared__ int zeros_before[256];
  __shared__ int zeros;
  const int t = threadIdx.x;
  keys[t] = data[t];
  __syncthreads();
  for (int bit = 0; bit < bits; ++bit) {
    const unsigned key = keys[t];
    const int is_zero = (key >> bit & 1u) == 0 ? 1 : 0;
    zeros_before[t] = is_zero;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
      const int before = t >= step ? zeros_before[t - step] : 0;
      __syncthreads();
      zeros_before[t] += before;
      __syncthreads();
    }
    if (t == 255) zeros = zeros_before[255];
    __syncthreads();
    const int exclusive = zeros_before[t] - is_zero;
    keys[is_zero != 0 ? exclusive : zeros + t - exclusive] = key;
    __syncthreads();
  }
  data[t] = keys[t];
}

CASE(radix_sort_of_a_block) {
  std::vector<unsigned> values(256);
  conformance::Random random(53);
  for (unsigned& value : values) value = random.bits() >> 12;
  Buffer<unsigned> data(values);
  radix_block<<<1, 256>>>(data.ptr(), 20);
  std::sort(values.begin(), values.end());
  EXPECT_EACH(data, [&](std::size_t i) { return values[i]; });
}

// Merging by rank: an element's place is its own index plus how many of the other run go before.
// Equal keys of the left run go first, so the sort is stable.
__global__ void merge_runs(const int2* in, int2* out, int run, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int pair = i / (2 * run) * 2 * run, middle = min(pair + run, n),
            end = min(pair + 2 * run, n);
  const bool left = i < middle;
  int low = left ? middle : pair;
  const int other_start = low, other_end = left ? end : middle;
  int high = other_end;
  while (low < high) {
    const int probe = (low + high) / 2;
    const bool before = left ? in[probe].x < in[i].x : in[probe].x <= in[i].x;
    if (before) {
      low = probe + 1;
    } else {
      high = probe;
    }
  }
  const int own = left ? i - pair : i - middle;
  out[pair + own + (low - other_start)] = in[i];
}

CASE(merge_sort_is_stable) {
  constexpr int kCount = 777;
  std::vector<int2> values(kCount);
  conformance::Random random(54);
  for (int i = 0; i < kCount; ++i) values[i] = make_int2(random.below(40), i);
  Buffer<int2> a(values), b(kCount);
  int2 *from = a.ptr(), *to = b.ptr();
  for (int run = 1; run < kCount; run *= 2) {
    merge_runs<<<(kCount + 127) / 128, 128>>>(from, to, run, kCount);
    std::swap(from, to);
  }
  std::stable_sort(values.begin(), values.end(), [](int2 p, int2 q) { return p.x < q.x; });
  const std::vector<int2> got = from == a.ptr() ? a.host() : b.host();
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(got[i].x, values[i].x);
    EXPECT_EQ(got[i].y, values[i].y);
  }
}

__global__ void odd_even(int* data, int n) {
  for (int phase = 0; phase < n; ++phase) {
    const int left = 2 * threadIdx.x + phase % 2;
    if (left + 1 < n && data[left] > data[left + 1]) {
      const int keep = data[left];
      data[left] = data[left + 1];
      data[left + 1] = keep;
    }
    __syncthreads();
  }
}

CASE(odd_even_transposition_sort) {
  std::vector<int> values = conformance::random_ints(99, 500, 55);
  Buffer<int> data(values);
  odd_even<<<1, 64>>>(data.ptr(), 99);
  std::sort(values.begin(), values.end());
  EXPECT_EACH(data, [&](std::size_t i) { return values[i]; });
}
