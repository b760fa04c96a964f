// The four shuffles for every type that has them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

template <class T>
__global__ void all_four(const T* in, T* out) {
  const int lane = threadIdx.x;
  const T mine = in[lane];
  out[lane] = __shfl_sync(0xffffffffu, mine, (lane * 5 + 3) % 32);
  out[32 + lane] = __shfl_up_sync(0xffffffffu, mine, 3);
  out[64 + lane] = __shfl_down_sync(0xffffffffu, mine, 7);
  out[96 + lane] = __shfl_xor_sync(0xffffffffu, mine, 21);
}

/// Which lane each of the 128 results comes from.
static std::size_t source(std::size_t i) {
  const std::size_t lane = i % 32;
  if (i < 32) return (lane * 5 + 3) % 32;
  if (i < 64) return lane < 3 ? lane : lane - 3;
  if (i < 96) return lane + 7 > 31 ? lane : lane + 7;
  return lane ^ 21;
}

// Compared as bytes: a shuffle moves bits and must not touch them.
template <class T>
static void check(const std::vector<T>& values) {
  Buffer<T> in(values), out(128);
  all_four<<<1, 32>>>(in.ptr(), out.ptr());
  const std::vector<T> got = out.host();
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(std::memcmp(&got[i], &values[source(i)], sizeof(T)), 0);
  }
}

template <class T>
static std::vector<T> bit_patterns(std::uint64_t seed) {
  conformance::Random random(seed);
  std::vector<T> values(32);
  for (T& value : values) {
    const std::uint64_t bits = random.bits64();
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

CASE(int_) {
  check(bit_patterns<int>(1));
}
CASE(unsigned_) {
  check(bit_patterns<unsigned>(2));
}
CASE(long_) {
  check(bit_patterns<long>(3));
}
CASE(unsigned_long) {
  check(bit_patterns<unsigned long>(4));
}
CASE(long_long) {
  check(bit_patterns<long long>(5));
}
CASE(unsigned_long_long) {
  check(bit_patterns<unsigned long long>(6));
}
CASE(float_) {
  check(bit_patterns<float>(7));
}
CASE(double_) {
  check(bit_patterns<double>(8));
}
CASE(half) {
  check(bit_patterns<__half>(9));
}
CASE(half2_) {
  check(bit_patterns<__half2>(10));
}
CASE(bfloat16) {
  check(bit_patterns<__nv_bfloat16>(11));
}
CASE(bfloat162) {
  check(bit_patterns<__nv_bfloat162>(12));
}
