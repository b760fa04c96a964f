// float and double to __half and __nv_bfloat16 in every rounding mode, and back.
#include "narrow.hpp"

using conformance::Buffer;
using soft_float::Round;

template <class T>
__global__ void widen(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(Narrow<T>::from_bits(static_cast<unsigned short>(i)));
}

__global__ void widen_by_name(float* half, float* bfloat16) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  half[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
  bfloat16[i] = __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(i)));
}

static float want_half(std::size_t i) {
  return static_cast<float>(value_of<__half>(static_cast<unsigned short>(i)));
}
static float want_bfloat16(std::size_t i) {
  return static_cast<float>(value_of<__nv_bfloat16>(static_cast<unsigned short>(i)));
}

CASE(every_pattern_to_float) {
  Buffer<float> half(65536), bfloat16(65536);
  widen_by_name<<<256, 256>>>(half.ptr(), bfloat16.ptr());
  EXPECT_EACH(half, want_half);
  EXPECT_EACH(bfloat16, want_bfloat16);
}

CASE(every_pattern_by_cast) {
  Buffer<float> half(65536), bfloat16(65536);
  widen<__half><<<256, 256>>>(half.ptr());
  widen<__nv_bfloat16><<<256, 256>>>(bfloat16.ptr());
  EXPECT_EACH(half, want_half);
  EXPECT_EACH(bfloat16, want_bfloat16);
}

/// For each finite value of the narrow format: itself, the middle to the next one, and the wide
/// neighbours of both. These are all the places where rounding can change its mind.
template <class T, class Wide>
static std::vector<Wide> rounding_edges(int step) {
  constexpr Wide kInfinity = std::numeric_limits<Wide>::infinity();
  std::vector<Wide> edges{kInfinity,
                          -kInfinity,
                          std::numeric_limits<Wide>::quiet_NaN(),
                          std::numeric_limits<Wide>::max(),
                          std::numeric_limits<Wide>::denorm_min(),
                          -std::numeric_limits<Wide>::denorm_min()};
  const auto largest = static_cast<int>(Narrow<T>::kFormat.largest());
  for (int bits = 0; bits <= largest; bits += bits + 40 > largest || bits < 40 ? 1 : step) {
    const auto value = static_cast<Wide>(value_of<T>(static_cast<unsigned short>(bits)));
    const int last = bits == largest ? bits - 1 : bits;  // beyond the end: one more gap
    const double gap = value_of<T>(static_cast<unsigned short>(last + 1)) -
                       value_of<T>(static_cast<unsigned short>(last));
    const auto middle = static_cast<Wide>(static_cast<double>(value) + gap / 2);
    for (const Wide edge : {value, middle}) {
      for (const Wide near :
           {edge, std::nextafter(edge, kInfinity), std::nextafter(edge, Wide{0})}) {
        edges.push_back(near);
        edges.push_back(-near);
      }
    }
  }
  return edges;
}

__global__ void narrow_half(const float* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __half_as_ushort(__float2half_rn(in[i]));
  out[n + i] = __half_as_ushort(__float2half_rz(in[i]));
  out[2 * n + i] = __half_as_ushort(__float2half_ru(in[i]));
  out[3 * n + i] = __half_as_ushort(__float2half_rd(in[i]));
  out[4 * n + i] = __half_as_ushort(__float2half(in[i]));
  out[5 * n + i] = __half_as_ushort(__half(in[i]));
}

__global__ void narrow_bfloat16(const float* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __bfloat16_as_ushort(__float2bfloat16_rn(in[i]));
  out[n + i] = __bfloat16_as_ushort(__float2bfloat16_rz(in[i]));
  out[2 * n + i] = __bfloat16_as_ushort(__float2bfloat16_ru(in[i]));
  out[3 * n + i] = __bfloat16_as_ushort(__float2bfloat16_rd(in[i]));
  out[4 * n + i] = __bfloat16_as_ushort(__float2bfloat16(in[i]));
  out[5 * n + i] = __bfloat16_as_ushort(__nv_bfloat16(in[i]));
}

template <class T, class Wide>
static void expect_rounded(const Buffer<unsigned short>& out, const std::vector<Wide>& in) {
  const Round modes[6] = {Round::nearest_even, Round::toward_zero,  Round::up,
                          Round::down,         Round::nearest_even, Round::nearest_even};
  auto want = [&](std::size_t i) {
    const auto mode = modes[i / in.size()];
    return static_cast<unsigned short>(
        soft_float::encode(Narrow<T>::kFormat, in[i % in.size()], mode));
  };
  conformance::expect_elements(
      out, [&](std::size_t i, unsigned short got) { return same_bits<T>(got, want(i)); },
      [&](std::size_t i) {
        return conformance::show(want(i)) + " from " + conformance::show(in[i % in.size()]);
      },
      "rounded", __FILE__, __LINE__);
}

CASE(float_to_half_in_four_modes) {
  const std::vector<float> edges = rounding_edges<__half, float>(7);
  const int n = static_cast<int>(edges.size());
  Buffer<float> in(edges);
  Buffer<unsigned short> out(6 * edges.size());
  narrow_half<<<(n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  expect_rounded<__half>(out, edges);
}

CASE(float_to_bfloat16_in_four_modes) {
  const std::vector<float> edges = rounding_edges<__nv_bfloat16, float>(7);
  const int n = static_cast<int>(edges.size());
  Buffer<float> in(edges);
  Buffer<unsigned short> out(6 * edges.size());
  narrow_bfloat16<<<(n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  expect_rounded<__nv_bfloat16>(out, edges);
}

__global__ void narrow_doubles(const double* in, unsigned short* half, unsigned short* bfloat16,
                               int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  half[i] = __half_as_ushort(__double2half(in[i]));
  bfloat16[i] = __bfloat16_as_ushort(__double2bfloat16(in[i]));
}

// Through float there would be two roundings; a double just beside the middle shows it.
CASE(double_is_rounded_once) {
  std::vector<double> edges = rounding_edges<__half, double>(29);
  for (const double edge : rounding_edges<__nv_bfloat16, double>(29)) edges.push_back(edge);
  const int n = static_cast<int>(edges.size());
  Buffer<double> in(edges);
  Buffer<unsigned short> half(edges.size()), bfloat16(edges.size());
  narrow_doubles<<<(n + 255) / 256, 256>>>(in.ptr(), half.ptr(), bfloat16.ptr(), n);
  expect_rounded<__half>(half, edges);
  expect_rounded<__nv_bfloat16>(bfloat16, edges);
}

__global__ void there_and_back(unsigned short* half, unsigned short* bfloat16) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto bits = static_cast<unsigned short>(i);
  half[i] = __half_as_ushort(__float2half(__half2float(__ushort_as_half(bits))));
  bfloat16[i] =
      __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(__ushort_as_bfloat16(bits))));
}

CASE(round_trip_through_float_keeps_every_value) {
  Buffer<unsigned short> half(65536), bfloat16(65536);
  there_and_back<<<256, 256>>>(half.ptr(), bfloat16.ptr());
  std::vector<int> wrong(2, 0);
  const std::vector<unsigned short> h = half.host(), b = bfloat16.host();
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<unsigned short>(i);
    if (!same_bits<__half>(h[i], bits)) ++wrong[0];
    if (!same_bits<__nv_bfloat16>(b[i], bits)) ++wrong[1];
  }
  EXPECT_EACH(wrong, [](std::size_t) { return 0; });
}
