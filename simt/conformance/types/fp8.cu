// The 8-bit formats: every pattern decoded, and every edge of rounding encoded.
#include <cuda_fp8.h>

#include "narrow.hpp"

using conformance::Buffer;
using soft_float::Format;
using soft_float::Round;

__global__ void decode_all(float* e4m3, float* e5m2) {
  const int i = threadIdx.x;
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = static_cast<__nv_fp8_storage_t>(i);
  b.__x = static_cast<__nv_fp8_storage_t>(i);
  e4m3[i] = static_cast<float>(a);
  e5m2[i] = static_cast<float>(b);
  e4m3[256 + i] = __half2float(__half(__nv_cvt_fp8_to_halfraw(a.__x, __NV_E4M3)));
  e5m2[256 + i] = __half2float(static_cast<__half>(b));
}

CASE(every_pattern_decoded) {
  Buffer<float> e4m3(512), e5m2(512);
  decode_all<<<1, 256>>>(e4m3.ptr(), e5m2.ptr());
  EXPECT_EACH(e4m3, [](std::size_t i) {
    return static_cast<float>(soft_float::decode(soft_float::kE4m3, i % 256));
  });
  EXPECT_EACH(e5m2, [](std::size_t i) {
    return static_cast<float>(soft_float::decode(soft_float::kE5m2, i % 256));
  });
}

/// Every value of the format, the middles between neighbours, and floats just beside both.
static std::vector<float> edges(const Format& format) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> all{kInfinity, -kInfinity, std::nanf(""), 1e30f, -1e30f, 1e-30f, -1e-30f};
  for (std::uint32_t bits = 0; bits < format.largest(); ++bits) {
    const double low = soft_float::decode(format, bits),
                 high = soft_float::decode(format, bits + 1);
    for (const double edge : {low, (low + high) / 2, high + (high - low) / 2}) {
      const auto value = static_cast<float>(edge);
      for (const float near :
           {value, std::nextafter(value, kInfinity), std::nextafter(value, -kInfinity)}) {
        all.push_back(near);
        all.push_back(-near);
      }
    }
  }
  return all;
}

static std::uint32_t encoded(const Format& format, double x, bool saturate) {
  if (saturate && !std::isnan(x)) {
    const double most = soft_float::decode(format, format.largest());
    x = x > most ? most : x < -most ? -most : x;
  }
  return soft_float::encode(format, x);
}

template <class In>
static void expect_encoded(const Buffer<unsigned char>& out, const std::vector<In>& in,
                           const Format& format, bool saturate) {
  conformance::expect_elements(
      out,
      [&](std::size_t i, unsigned char got) {
        const std::uint32_t want = encoded(format, static_cast<double>(in[i]), saturate);
        return got == want || (std::isnan(soft_float::decode(format, got)) &&
                               std::isnan(soft_float::decode(format, want)));
      },
      [&](std::size_t i) {
        return conformance::show(encoded(format, static_cast<double>(in[i]), saturate)) + " from " +
               conformance::show(static_cast<double>(in[i]));
      },
      saturate ? "saturating" : "not saturating", __FILE__, __LINE__);
}

__global__ void encode_floats(const float* in, unsigned char* out, int n,
                              __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_cvt_float_to_fp8(in[i], saturation, kind);
}

static void check_floats(const Format& format, __nv_fp8_interpretation_t kind) {
  const std::vector<float> values = edges(format);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values);
  Buffer<unsigned char> out(values.size());
  for (const bool saturate : {true, false}) {
    encode_floats<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n,
                                            saturate ? __NV_SATFINITE : __NV_NOSAT, kind);
    expect_encoded(out, values, format, saturate);
  }
}

CASE(float_to_e4m3) {
  check_floats(soft_float::kE4m3, __NV_E4M3);
}
CASE(float_to_e5m2) {
  check_floats(soft_float::kE5m2, __NV_E5M2);
}

__global__ void encode_doubles(const double* in, unsigned char* out, int n,
                               __nv_fp8_interpretation_t kind) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_cvt_double_to_fp8(in[i], __NV_SATFINITE, kind);
}

static void check_doubles(const Format& format, __nv_fp8_interpretation_t kind) {
  std::vector<double> values;
  for (const float edge : edges(format)) {
    values.push_back(edge);
    values.push_back(std::nextafter(static_cast<double>(edge), 0.0));
  }
  const int n = static_cast<int>(values.size());
  Buffer<double> in(values);
  Buffer<unsigned char> out(values.size());
  encode_doubles<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n, kind);
  expect_encoded(out, values, format, true);
}

CASE(double_is_rounded_once) {
  check_doubles(soft_float::kE4m3, __NV_E4M3);
  check_doubles(soft_float::kE5m2, __NV_E5M2);
}

template <class T>
__global__ void encode_narrow(unsigned char* e4m3, unsigned char* e5m2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T value = Narrow<T>::from_bits(static_cast<unsigned short>(i));
  e4m3[i] = __nv_fp8_e4m3(value).__x;
  e5m2[i] = __nv_fp8_e5m2(value).__x;
}

template <class T>
static void check_narrow() {
  Buffer<unsigned char> e4m3(65536), e5m2(65536);
  encode_narrow<T><<<256, 256>>>(e4m3.ptr(), e5m2.ptr());
  std::vector<double> values;
  for (const unsigned short bits : all_patterns()) values.push_back(value_of<T>(bits));
  expect_encoded(e4m3, values, soft_float::kE4m3, true);
  expect_encoded(e5m2, values, soft_float::kE5m2, true);
}

CASE(every_half_to_both_formats) {
  check_narrow<__half>();
}
CASE(every_bfloat16_to_both_formats) {
  check_narrow<__nv_bfloat16>();
}

__global__ void from_pairs(unsigned* out) {
  const __half2 low = __floats2half2_rn(1.0F, -2.0F);  // in E4M3 0x38 and 0xc0
  const __half2 high = __floats2half2_rn(448.0F, 0.0F);
  const __nv_bfloat162 wide = __floats2bfloat162_rn(1.0F, -2.0F);  // in E5M2 0x3c and 0xc0
  out[0] = __nv_fp8x2_e4m3(low).__x;
  out[1] = __nv_fp8x4_e4m3(low, high).__x;
  out[2] = __nv_fp8x2_e5m2(wide).__x;
  out[3] = __nv_fp8x4_e5m2(wide, wide).__x;
  out[4] = __nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, __NV_E4M3);
  out[5] = __nv_cvt_bfloat16raw2_to_fp8x2(wide, __NV_SATFINITE, __NV_E5M2);
  out[6] = __nv_cvt_double2_to_fp8x2(make_double2(1, -2), __NV_SATFINITE, __NV_E4M3);
}

CASE(pairs_of_other_formats) {
  Buffer<unsigned> out(7);
  from_pairs<<<1, 1>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const unsigned want[] = {0xc038, 0x007ec038, 0xc03c, 0xc03cc03c, 0xc038, 0xc03c, 0xc038};
    return want[i];
  });
}

__global__ void vectors(const float4* in, float4* out, unsigned* packed) {
  const int i = threadIdx.x;
  const __nv_fp8x4_e4m3 four(in[i]);
  const __nv_fp8x2_e5m2 two(make_float2(in[i].x, in[i].y));
  packed[i] = four.__x;
  out[2 * i] = static_cast<float4>(four);
  const float2 back = static_cast<float2>(two);
  out[2 * i + 1] = make_float4(back.x, back.y, static_cast<float>(two.__x & 0xff),
                               static_cast<float>(two.__x >> 8));
}

CASE(vectors_of_two_and_four) {
  std::vector<float4> values(50);
  conformance::Random random(6);
  for (float4& v : values) {
    v = make_float4(float(random.uniform(-500, 500)), float(random.uniform(-1, 1)),
                    float(random.uniform(-0.01, 0.01)), float(random.uniform(-50, 50)));
  }
  Buffer<float4> in(values), out(100);
  Buffer<unsigned> packed(50);
  vectors<<<1, 50>>>(in.ptr(), out.ptr(), packed.ptr());
  const std::vector<float4> got = out.host();
  const std::vector<unsigned> words = packed.host();
  for (int i = 0; i < 50; ++i) {
    const float parts[4] = {values[i].x, values[i].y, values[i].z, values[i].w};
    const float back[4] = {got[2 * i].x, got[2 * i].y, got[2 * i].z, got[2 * i].w};
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t want = encoded(soft_float::kE4m3, parts[k], true);
      EXPECT_EQ(words[i] >> (8 * k) & 0xffu, want);
      EXPECT_EQ(static_cast<double>(back[k]), soft_float::decode(soft_float::kE4m3, want));
    }
    const std::uint32_t low = encoded(soft_float::kE5m2, parts[0], true);
    const std::uint32_t high = encoded(soft_float::kE5m2, parts[1], true);
    EXPECT_EQ(static_cast<double>(got[2 * i + 1].x), soft_float::decode(soft_float::kE5m2, low));
    EXPECT_EQ(static_cast<double>(got[2 * i + 1].y), soft_float::decode(soft_float::kE5m2, high));
    EXPECT_EQ(got[2 * i + 1].z, static_cast<float>(low));
    EXPECT_EQ(got[2 * i + 1].w, static_cast<float>(high));
  }
}
