/// What the cases for __half and __nv_bfloat16 share: the two types behind one set of names, and
/// the inputs worth trying.
#pragma once

#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../conformance.hpp"
#include "../soft_float.hpp"

template <class T>
struct Narrow;

template <>
struct Narrow<__half> {
  using Pair = __half2;
  static constexpr soft_float::Format kFormat = soft_float::kHalf;
  static __host__ __device__ __half from_bits(unsigned short bits) {
    return __ushort_as_half(bits);
  }
  static __host__ __device__ unsigned short bits(__half value) { return __half_as_ushort(value); }
  static __host__ __device__ Pair pair(__half x, __half y) { return __halves2half2(x, y); }
};

template <>
struct Narrow<__nv_bfloat16> {
  using Pair = __nv_bfloat162;
  static constexpr soft_float::Format kFormat = soft_float::kBfloat16;
  static __host__ __device__ __nv_bfloat16 from_bits(unsigned short bits) {
    return __ushort_as_bfloat16(bits);
  }
  static __host__ __device__ unsigned short bits(__nv_bfloat16 value) {
    return __bfloat16_as_ushort(value);
  }
  static __host__ __device__ Pair pair(__nv_bfloat16 x, __nv_bfloat16 y) {
    return __halves2bfloat162(x, y);
  }
};

template <class T>
double value_of(unsigned short bits) {
  return soft_float::decode(Narrow<T>::kFormat, bits);
}

/// Bits are the same, or both are NaN: the payload of a NaN result is not promised.
template <class T>
bool same_bits(unsigned short a, unsigned short b) {
  return a == b || (std::isnan(value_of<T>(a)) && std::isnan(value_of<T>(b)));
}

/// Every pattern of 16 bits.
inline std::vector<unsigned short> all_patterns() {
  return conformance::sequence<unsigned short>(65536);
}

/// Zeros, subnormals, the edges of the range, values around one, infinities, NaN, and a sample of
/// the rest; both signs of each.
template <class T>
std::vector<unsigned short> chosen_patterns(int random_count) {
  constexpr auto kFormat = Narrow<T>::kFormat;
  const auto one = static_cast<unsigned short>(kFormat.bias() << kFormat.mantissa_bits);
  const auto infinity = static_cast<unsigned short>(kFormat.infinity());
  const auto least_normal = static_cast<unsigned short>(1 << kFormat.mantissa_bits);
  std::vector<unsigned short> patterns{0, 1, 2, 3};
  for (const int step : {-2, -1, 0, 1, 2}) {
    patterns.push_back(static_cast<unsigned short>(least_normal + step));
    patterns.push_back(static_cast<unsigned short>(one + step));
    patterns.push_back(static_cast<unsigned short>(one + least_normal + step));
    patterns.push_back(static_cast<unsigned short>(infinity + step));
  }
  conformance::Random random(kFormat.mantissa_bits);
  for (int i = 0; i < random_count; ++i) {
    patterns.push_back(static_cast<unsigned short>(random.bits() & 0x7fff));
    // Exponents near one: sums and products of these do not just overflow or vanish.
    patterns.push_back(static_cast<unsigned short>(
        one + static_cast<int>(random.bits() % (6u * least_normal)) - 3 * least_normal));
  }
  const std::size_t count = patterns.size();
  for (std::size_t i = 0; i < count; ++i) {
    patterns.push_back(static_cast<unsigned short>(patterns[i] | 0x8000));
  }
  return patterns;
}
