// Functions that take floating-point numbers apart or compare them: all results are exact.
#include "../conformance.hpp"

using conformance::Buffer;

static std::vector<float> specials() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{
      0.0f,     0.5f,   1.0f,  1.5f,      2.5f,      3.49999f,        7.25f,
      100,      1e-40f, 1e30f, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, 8388607.5f,
      kInfinity};
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  for (const float value : conformance::random_floats(97, -50, 50, 1)) values.push_back(value);
  return values;
}

template <class T>
static T bits_as(float value) {
  T bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

__global__ void round_all(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  float* const to = out + 7 * i;
  to[0] = floorf(in[i]);
  to[1] = ceilf(in[i]);
  to[2] = truncf(in[i]);
  to[3] = rintf(in[i]);
  to[4] = nearbyintf(in[i]);
  to[5] = roundf(in[i]);
  to[6] = fabsf(in[i]);
}

CASE(rounding_to_whole_numbers) {
  const std::vector<float> values = specials();
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(7 * values.size());
  round_all<<<1, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t at) -> float {
    const double x = values[at / 7], below = std::floor(x), rest = x - below;
    if (std::isnan(x)) return values[at / 7];
    if (std::isinf(x)) return at % 7 == 6 ? std::abs(values[at / 7]) : values[at / 7];
    const bool odd = std::fmod(below, 2) != 0;
    const double even = rest > 0.5 || (rest == 0.5 && odd) ? below + 1 : below;
    const double away =
        x < 0 ? (rest <= 0.5 && rest > 0 ? below : even) : (rest >= 0.5 ? below + 1 : below);
    const double want[7] = {below,
                            rest > 0 ? below + 1 : below,
                            x < 0 && rest > 0 ? below + 1 : below,
                            even,
                            even,
                            rest == 0 ? x : away,
                            std::abs(x)};
    return static_cast<float>(want[at % 7]);
  });
}

__global__ void round_to_integers(const float* in, long long* out) {
  const int i = threadIdx.x;
  out[6 * i] = lrintf(in[i]);
  out[6 * i + 1] = lroundf(in[i]);
  out[6 * i + 2] = llrintf(in[i]);
  out[6 * i + 3] = llroundf(in[i]);
  out[6 * i + 4] = lrint(static_cast<double>(in[i]));
  out[6 * i + 5] = llround(static_cast<double>(in[i]));
}

CASE(rounding_to_integers) {
  std::vector<float> values = conformance::random_floats(96, -1000, 1000, 2);
  for (int i = 0; i < 32; ++i) values.push_back(static_cast<float>(i) - 15.5f);
  Buffer<float> in(values);
  Buffer<long long> out(6 * 128);
  round_to_integers<<<1, 128>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const double x = values[at / 6], below = std::floor(x), rest = x - below;
    const bool away_from_zero = at % 2 == 1;
    const bool up =
        rest > 0.5 || (rest == 0.5 && (away_from_zero ? x > 0 : std::fmod(below, 2) != 0));
    return static_cast<long long>(up ? below + 1 : below);
  });
}

__global__ void take_apart(const float* in, float* parts, int* exponents, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  float whole = 0;
  parts[5 * i] = frexpf(in[i], &exponents[2 * i]);
  parts[5 * i + 1] = modff(in[i], &whole);
  parts[5 * i + 2] = whole;
  parts[5 * i + 3] = ldexpf(in[i], -3);
  parts[5 * i + 4] = scalbnf(in[i], 5);
  exponents[2 * i + 1] = ilogbf(in[i]);
}

CASE(frexp_modf_ldexp_scalbn_ilogb) {
  std::vector<float> values;
  for (const float value : specials()) {
    if (std::isfinite(value) && value != 0) values.push_back(value);
  }
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), parts(5 * values.size());
  Buffer<int> exponents(2 * values.size());
  take_apart<<<1, 128>>>(in.ptr(), parts.ptr(), exponents.ptr(), n);
  // Checked by what the parts must satisfy, not by another implementation of the same functions.
  const std::vector<float> p = parts.host();
  const std::vector<int> e = exponents.host();
  for (int i = 0; i < n; ++i) {
    const double x = values[i];
    EXPECT_TRUE(std::abs(p[5 * i]) >= 0.5f && std::abs(p[5 * i]) < 1.0f);
    EXPECT_EQ(std::ldexp(static_cast<double>(p[5 * i]), e[2 * i]), x);
    EXPECT_EQ(e[2 * i + 1], e[2 * i] - 1);
    EXPECT_EQ(static_cast<double>(p[5 * i + 1]) + p[5 * i + 2], x);
    EXPECT_TRUE(std::abs(p[5 * i + 1]) < 1.0f && p[5 * i + 2] == std::trunc(values[i]));
    EXPECT_EQ(p[5 * i + 3], static_cast<float>(x / 8));
    EXPECT_EQ(p[5 * i + 4], static_cast<float>(x * 32));
  }
}

__global__ void classify(const float* in, int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  const double wide = x;
  // The sign of a NaN, and more so of its negative, is not promised.
  const int signs = (signbit(x) ? 8 : 0) | (signbit(copysignf(3.0f, -x)) ? 128 : 0);
  out[i] = (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (isfinite(x) ? 4 : 0) |
           (isnan(wide) ? 16 : 0) | (isinf(wide) ? 32 : 0) | (x == x ? 64 | signs : 0);
}

CASE(classification_and_signs) {
  const std::vector<float> values = specials();
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values);
  Buffer<int> out(values.size());
  classify<<<1, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    const auto bits = bits_as<std::uint32_t>(values[i]);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const int sign = bits >> 31 != 0 ? 8 : 128;
    if (magnitude > 0x7f800000u) return 1 | 16;
    return (magnitude == 0x7f800000u ? 2 | 32 : 4) | 64 | sign;
  });
}

__global__ void extremes(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const float a = in[i / n], b = in[i % n];
  out[4 * i] = fminf(a, b);
  out[4 * i + 1] = fmaxf(a, b);
  out[4 * i + 2] = fdimf(a, b);
  out[4 * i + 3] = copysignf(a, b);
}

// A NaN loses against a number in fmin and fmax.
CASE(fmin_fmax_fdim_copysign) {
  const std::vector<float> values = specials();
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(static_cast<std::size_t>(4) * n * n);
  extremes<<<(n * n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t at) -> float {
    const float a = values[at / 4 / n], b = values[at / 4 % n];
    const bool a_nan = std::isnan(a), b_nan = std::isnan(b);
    if (at % 4 == 3) {
      const std::uint32_t bits =
          (bits_as<std::uint32_t>(a) & 0x7fffffffu) | (bits_as<std::uint32_t>(b) & 0x80000000u);
      float result;
      std::memcpy(&result, &bits, sizeof result);
      return result;
    }
    if (at % 4 == 2) {
      if (a_nan || b_nan) return std::numeric_limits<float>::quiet_NaN();
      return a > b ? static_cast<float>(static_cast<double>(a) - b) : 0.0f;
    }
    if (a_nan) return b;
    if (b_nan) return a;
    return (a < b) == (at % 4 == 0) ? a : b;
  });
}

__global__ void remainders(const float* in, float* out, int* quotients, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const float a = in[i / n], b = in[i % n];
  out[3 * i] = fmodf(a, b);
  out[3 * i + 1] = remainderf(a, b);
  out[3 * i + 2] = remquof(a, b, &quotients[i]);
}

CASE(fmod_remainder_remquo_are_exact) {
  std::vector<float> values;
  for (const float value : conformance::random_floats(40, -30, 30, 3)) values.push_back(value);
  for (const float value : {1.0f, 0.5f, 3.0f, 7.5f, 1e5f, -0.75f}) values.push_back(value);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(static_cast<std::size_t>(3) * n * n);
  Buffer<int> quotients(static_cast<std::size_t>(n) * n);
  remainders<<<(n * n + 127) / 128, 128>>>(in.ptr(), out.ptr(), quotients.ptr(), n);
  auto nearest_quotient = [&](std::size_t i) {
    const double ratio = static_cast<double>(values[i / n]) / values[i % n];
    return std::nearbyint(ratio);
  };
  EXPECT_EACH(out, [&](std::size_t at) {
    const double a = values[at / 3 / n], b = values[at / 3 % n];
    const double quotient = at % 3 == 0 ? std::trunc(a / b) : nearest_quotient(at / 3);
    return static_cast<float>(std::fma(-quotient, b, a));
  });
  // Of the quotient, the sign and at least the last three bits are promised.
  conformance::expect_elements(
      quotients,
      [&](std::size_t i, int got) {
        const auto want = static_cast<long long>(nearest_quotient(i));
        if ((std::llabs(want) - std::abs(got)) % 8 != 0) return false;
        return got == 0 || (want < 0) == (got < 0);
      },
      [&](std::size_t i) { return conformance::show(nearest_quotient(i)); }, "quotients", __FILE__,
      __LINE__);
}

__global__ void neighbours(const float* in, unsigned* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  out[2 * i] = __float_as_uint(nextafterf(in[i], 1e38f));
  out[2 * i + 1] = __float_as_uint(nextafterf(in[i], -1e38f));
}

CASE(nextafter_moves_by_one_pattern) {
  std::vector<float> values;
  for (const float value : specials()) {
    if (std::isfinite(value) && std::abs(value) < 1e35f && value != 0) values.push_back(value);
  }
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values);
  Buffer<unsigned> out(2 * values.size());
  neighbours<<<1, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t at) {
    const auto bits = bits_as<unsigned>(values[at / 2]);
    const bool away = (at % 2 == 0) == (values[at / 2] > 0);
    return away ? bits + 1 : bits - 1;
  });
}

__global__ void subnormals(float* out, float tiny) {
  out[0] = tiny * 0.5f;
  out[1] = tiny + tiny;
  out[2] = tiny / 4.0f;
  out[3] = tiny * 4.0f - tiny;
  out[4] = fmaf(tiny, 0.25f, tiny);
}

CASE(subnormals_are_not_flushed) {
  Buffer<float> out(5);
  subnormals<<<1, 1>>>(out.ptr(), 0x1p-130f);
  const float want[5] = {0x1p-131f, 0x1p-129f, 0x1p-132f, 0x1.8p-129f, 0x1.4p-130f};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

__global__ void specials_by_arithmetic(float* out, float zero) {
  out[0] = 1.0f / zero;
  out[1] = -1.0f / zero;
  out[2] = zero / zero;
  out[3] = sqrtf(-1.0f - zero);
  out[4] = logf(zero);
  out[5] = expf(1.0f / zero);
  out[6] = expf(-1.0f / zero);
  out[7] = (1.0f / zero) - (1.0f / zero);
  out[8] = powf(zero, 0.0f);
  out[9] = atanf(1.0f / zero);
}

CASE(infinities_and_nans_arise_as_in_ieee) {
  Buffer<float> out(10);
  specials_by_arithmetic<<<1, 1>>>(out.ptr(), 0.0f);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float want[10] = {kInfinity, -kInfinity, nan, nan, -kInfinity,
                          kInfinity, 0,          nan, 1,   1.57079637f};
  EXPECT_NEAR(out, 0, 3e-7, [&](std::size_t i) { return want[i]; });
}
