// Shuffles over parts of a warp: widths, partial masks, diverged halves, lanes out of range.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr unsigned kAll = 0xffffffffu;

__global__ void widths(int* out, int width, int amount) {
  const int lane = threadIdx.x, value = 100 + lane;
  out[lane] = __shfl_sync(kAll, value, amount, width);
  out[32 + lane] = __shfl_up_sync(kAll, value, amount, width);
  out[64 + lane] = __shfl_down_sync(kAll, value, amount, width);
  out[96 + lane] = __shfl_xor_sync(kAll, value, amount, width);
}

// The programming guide's rules for a segment of `width` lanes. xor may read an earlier segment
// but not a later one; a lane without a source keeps its own value.
static int expected(int form, int lane, int amount, int width) {
  const int first = lane / width * width, place = lane % width;
  int from = lane;
  if (form == 0) from = first + amount % width;
  if (form == 1 && place - amount >= 0) from = lane - amount;
  if (form == 2 && place + amount < width) from = lane + amount;
  if (form == 3 && (lane ^ amount) < first + width) from = lane ^ amount;
  return 100 + from;
}

static void check_width(int width) {
  for (int amount = 0; amount < 32; ++amount) {
    Buffer<int> out(128);
    widths<<<1, 32>>>(out.ptr(), width, amount);
    EXPECT_EACH(out, [=](std::size_t i) {
      return expected(static_cast<int>(i / 32), static_cast<int>(i % 32), amount, width);
    });
  }
}

CASE(width_1) {
  check_width(1);
}
CASE(width_2) {
  check_width(2);
}
CASE(width_4) {
  check_width(4);
}
CASE(width_8) {
  check_width(8);
}
CASE(width_16) {
  check_width(16);
}
CASE(width_32) {
  check_width(32);
}

__global__ void index_out_of_range(int* out) {
  const int lane = threadIdx.x;
  out[lane] = __shfl_sync(kAll, lane, lane + 40);
  out[32 + lane] = __shfl_sync(kAll, lane, -1);
  out[64 + lane] = __shfl_sync(kAll, lane, 13, 8);
}

CASE(source_lane_is_taken_modulo_the_width) {
  Buffer<int> out(96);
  index_out_of_range<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int lane = static_cast<int>(i % 32);
    if (i < 32) return (lane + 40) % 32;
    return i < 64 ? 31 : lane / 8 * 8 + 5;
  });
}

__global__ void diverged_halves(int* out) {
  const int lane = threadIdx.x;
  int sum = lane;
  if (lane < 16) {
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(0x0000ffffu, sum, step);
  } else {
    for (int step = 1; step < 16; step *= 2) sum += __shfl_xor_sync(0xffff0000u, sum, step);
    sum = -sum;
  }
  out[lane] = sum;
}

CASE(two_halves_shuffle_in_different_branches) {
  Buffer<int> out(32);
  diverged_halves<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i < 16 ? 120 : -(120 + 16 * 16); });
}

__global__ void odd_lanes(int* out) {
  const int lane = threadIdx.x;
  out[lane] = -1;
  if (lane % 2 == 1) {
    out[lane] = __shfl_sync(0xaaaaaaaau, lane * 10, (lane + 2) % 32);
    out[32 + lane] = __shfl_down_sync(0xaaaaaaaau, lane * 10, 4);
  } else {
    out[32 + lane] = -2;
  }
}

CASE(only_the_odd_lanes_take_part) {
  Buffer<int> out(64);
  odd_lanes<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int lane = static_cast<int>(i % 32);
    if (lane % 2 == 0) return i < 32 ? -1 : -2;
    if (i < 32) return (lane + 2) % 32 * 10;
    return (lane + 4 < 32 ? lane + 4 : lane) * 10;
  });
}

__global__ void tail_warp(int* out) {
  const int t = threadIdx.x, warp = t / 32;
  const unsigned mask = warp == 0 ? kAll : 0x000000ffu;
  int value = t;
  for (int step = 4; step > 0; step /= 2) value += __shfl_down_sync(mask, value, step, 8);
  out[t] = __shfl_sync(mask, value, 0, 8);
}

CASE(last_warp_of_eight_threads) {
  Buffer<int> out(40);
  tail_warp<<<1, 40>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int first = static_cast<int>(i) / 8 * 8;
    return 8 * first + 28;
  });
}

__global__ void independent_warps(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
  int value = i;
  // Each warp shuffles a different number of times.
  for (int n = 0; n <= warp; ++n) value = __shfl_sync(kAll, value, (threadIdx.x + 1) % 32);
  out[i] = value;
}

CASE(warps_shuffle_independently) {
  Buffer<int> out(3 * 160);
  independent_warps<<<3, 160>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int t = static_cast<int>(i % 160), warp = t / 32;
    return static_cast<int>(i) - t + warp * 32 + (t % 32 + warp + 1) % 32;
  });
}
