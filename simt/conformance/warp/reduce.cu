// __reduce_*_sync, and the reductions and scans that people write with shuffles.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr unsigned kAll = 0xffffffffu;

__global__ void reduce_signed(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = __reduce_add_sync(kAll, in[i]);
  out[64 + i] = __reduce_min_sync(kAll, in[i]);
  out[128 + i] = __reduce_max_sync(kAll, in[i]);
}

CASE(reduce_add_min_max_signed) {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = (i * 7919 % 101 - 50) * (i < 32 ? 1 : 1000);
  Buffer<int> in(values), out(192);
  reduce_signed<<<1, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    int sum = 0, least = values[i % 64 / 32 * 32], most = least;
    for (std::size_t lane = i % 64 / 32 * 32, n = 0; n < 32; ++n) {
      sum += values[lane + n];
      least = values[lane + n] < least ? values[lane + n] : least;
      most = values[lane + n] > most ? values[lane + n] : most;
    }
    return i < 64 ? sum : i < 128 ? least : most;
  });
}

__global__ void reduce_unsigned(const unsigned* in, unsigned* out) {
  const int lane = threadIdx.x;
  out[lane] = __reduce_add_sync(kAll, in[lane]);
  out[32 + lane] = __reduce_min_sync(kAll, in[lane]);
  out[64 + lane] = __reduce_max_sync(kAll, in[lane]);
  out[96 + lane] = __reduce_and_sync(kAll, in[lane]);
  out[128 + lane] = __reduce_or_sync(kAll, in[lane]);
  out[160 + lane] = __reduce_xor_sync(kAll, in[lane]);
}

CASE(reduce_unsigned_and_bitwise) {
  conformance::Random random(5);
  std::vector<unsigned> values(32);
  for (unsigned& value : values) value = random.bits() | 0x00800000u;
  Buffer<unsigned> in(values), out(192);
  reduce_unsigned<<<1, 32>>>(in.ptr(), out.ptr());
  unsigned sum = 0, least = kAll, most = 0, all = kAll, some = 0, parity = 0;
  for (const unsigned value : values) {
    sum += value;
    least = value < least ? value : least;
    most = value > most ? value : most;
    all &= value;
    some |= value;
    parity ^= value;
  }
  const unsigned want[6] = {sum, least, most, all, some, parity};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i / 32]; });
}

__global__ void reduce_parts(int* out) {
  const int lane = threadIdx.x;
  if (lane < 20) {
    out[lane] = __reduce_add_sync(0x000fffffu, lane);
  } else {
    out[lane] = __reduce_max_sync(0xfff00000u, -lane);
  }
}

CASE(reduce_over_partial_masks) {
  Buffer<int> out(32);
  reduce_parts<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i < 20 ? 190 : -20; });
}

template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(kAll, value, offset);
  }
  return value;
}

template <class T>
__global__ void block_sum(const T* in, T* out) {
  __shared__ T partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const T mine = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
  if (lane == 0) partial[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    const T total = warp_sum(lane < blockDim.x / 32 ? partial[lane] : T{0});
    if (lane == 0) out[blockIdx.x] = total;
  }
}

CASE(block_sum_by_shuffles) {
  constexpr int kBlocks = 6, kThreads = 512;
  Buffer<double> in(conformance::sequence<double>(kBlocks * kThreads, 0.5)), out(kBlocks);
  block_sum<<<kBlocks, kThreads>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t b) {
    const double first = static_cast<double>(b * kThreads) + 0.5;
    return kThreads * first + kThreads * (kThreads - 1) / 2.0;
  });
  Buffer<long long> longs(conformance::sequence<long long>(kThreads, 1ll << 40)), total(1);
  block_sum<<<1, kThreads>>>(longs.ptr(), total.ptr());
  EXPECT_EACH(total, [](std::size_t) {
    return static_cast<long long>(kThreads) * (1ll << 40) + kThreads * (kThreads - 1) / 2;
  });
}

__global__ void inclusive_scan(const int* in, int* out) {
  const int lane = threadIdx.x % 32;
  int value = in[threadIdx.x];
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(kAll, value, step);
    if (lane >= step) value += before;
  }
  out[threadIdx.x] = value;
}

CASE(warp_scan_by_shuffles) {
  const std::vector<int> values = conformance::random_ints(96, 1000, 8);
  Buffer<int> in(values), out(96);
  inclusive_scan<<<1, 96>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    int sum = 0;
    for (std::size_t j = i / 32 * 32; j <= i; ++j) sum += values[j];
    return sum;
  });
}

__global__ void arg_max(const float* in, int* where, float* what) {
  float best = in[threadIdx.x];
  int index = threadIdx.x % 32;
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(kAll, best, step);
    const int other_index = __shfl_xor_sync(kAll, index, step);
    if (other > best || (other == best && other_index < index)) {
      best = other;
      index = other_index;
    }
  }
  where[threadIdx.x] = index;
  what[threadIdx.x] = best;
}

CASE(arg_max_by_butterfly) {
  std::vector<float> values = conformance::random_floats(64, -5, 5, 4);
  values[9] = values[25] = 6.0f;  // a tie: the earlier lane wins
  Buffer<float> in(values), what(64);
  Buffer<int> where(64);
  arg_max<<<1, 64>>>(in.ptr(), where.ptr(), what.ptr());
  int second = 32;
  for (int i = 33; i < 64; ++i) second = values[i] > values[second] ? i : second;
  EXPECT_EACH(where, [&](std::size_t i) { return i < 32 ? 9 : second - 32; });
  EXPECT_EACH(what, [&](std::size_t i) { return i < 32 ? 6.0f : values[second]; });
}

// Segments of a warp start where a flag is set; the sum restarts there.
__global__ void segmented_scan(const int* in, const int* heads, int* out) {
  const int lane = threadIdx.x;
  const unsigned starts = __ballot_sync(kAll, heads[lane]) | 1u;
  const unsigned up_to_me = starts & (kAll >> (31 - lane));
  const int first = 31 - __clz(static_cast<int>(up_to_me));
  int value = in[lane];
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(kAll, value, step);
    if (lane - step >= first) value += before;
  }
  out[lane] = value;
}

CASE(segmented_scan_by_ballot) {
  const std::vector<int> values = conformance::random_ints(32, 50, 21);
  std::vector<int> heads(32, 0);
  for (const int start : {4, 5, 13, 30}) heads[start] = 1;
  Buffer<int> in(values), flags(heads), out(32);
  segmented_scan<<<1, 32>>>(in.ptr(), flags.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    int sum = values[i];
    for (std::size_t j = i; j > 0 && heads[j] == 0; --j) sum += values[j - 1];
    return sum;
  });
}
