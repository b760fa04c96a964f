// Single-precision operations with a stated rounding mode: bit for bit, subnormals included.
#include "../conformance.hpp"
#include "../soft_float.hpp"

using conformance::Buffer;
using soft_float::Round;

constexpr Round kModes[4] = {Round::nearest_even, Round::toward_zero, Round::up, Round::down};

/// Special values, values next to them, and random ones over the whole range and around one.
static std::vector<float> operands(int random_count) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0.0f,      1.0f,      1.5f,        2.0f,     3.0f,
                            0x1p-126f, 0x1p-149f, 0x1.8p-140f, 0x1p127f, 0x1.fffffep127f,
                            kInfinity, 0.1f};
  const std::size_t specials = values.size();
  for (std::size_t i = 0; i < specials; ++i) {
    values.push_back(std::nextafter(values[i], kInfinity));
    values.push_back(std::nextafter(values[i], 0.0f));
  }
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  conformance::Random random(12);
  for (int i = 0; i < random_count; ++i) {
    const double scale =
        std::ldexp(1.0, i % 2 == 0 ? random.below(8) - 4 : random.below(270) - 146);
    values.push_back(static_cast<float>(random.uniform(1, 2) * scale));
  }
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

static std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Bits of the four results must be those of the exact result rounded; any NaN will do for NaN.
template <class Exact>
static void expect_rounded(const Buffer<float>& out, Exact exact, const char* what) {
  conformance::expect_elements(
      out,
      [&](std::size_t i, float got) {
        const double value = exact(i / 4);
        if (std::isnan(value)) return std::isnan(got);
        return bits_of(got) == soft_float::encode(soft_float::kFloat, value, kModes[i % 4]);
      },
      [&](std::size_t i) {
        return conformance::show(exact(i / 4)) + " rounded in mode " + std::to_string(i % 4);
      },
      what, __FILE__, __LINE__);
}

#define BINARY(kernel, operation)                              \
  __global__ void kernel(const float* in, float* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;       \
    if (i >= n * n) return;                                    \
    const float a = in[i / n], b = in[i % n];                  \
    out[4 * i] = operation##_rn(a, b);                         \
    out[4 * i + 1] = operation##_rz(a, b);                     \
    out[4 * i + 2] = operation##_ru(a, b);                     \
    out[4 * i + 3] = operation##_rd(a, b);                     \
  }

BINARY(add, __fadd)
BINARY(subtract, __fsub)
BINARY(multiply, __fmul)
BINARY(divide, __fdiv)

// Zero as an exact sum of opposites is the one result whose sign depends on the mode.
static double signed_zero(double a, double b, double sum, Round mode) {
  if (sum != 0 || (a == 0 && b == 0 && std::signbit(a) == std::signbit(b))) return sum;
  return mode == Round::down ? -0.0 : 0.0;
}

static void check_sum(void (*kernel)(const float*, float*, int), double sign) {
  const std::vector<float> values = operands(40);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(static_cast<std::size_t>(4) * n * n);
  kernel<<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  conformance::expect_elements(
      out,
      [&](std::size_t i, float got) {
        const double a = values[i / 4 / n], b = sign * values[i / 4 % n];
        const double sum = signed_zero(a, b, soft_float::add_odd(a, b), kModes[i % 4]);
        if (std::isnan(sum)) return std::isnan(got);
        return bits_of(got) == soft_float::encode(soft_float::kFloat, sum, kModes[i % 4]);
      },
      [&](std::size_t i) {
        const double a = values[i / 4 / n], b = sign * values[i / 4 % n];
        return "sum of " + conformance::show(a) + " and " + conformance::show(b) + ", mode " +
               std::to_string(i % 4);
      },
      "sum", __FILE__, __LINE__);
}

CASE(addition_in_four_modes) {
  check_sum(add, 1);
}
CASE(subtraction_in_four_modes) {
  check_sum(subtract, -1);
}

CASE(multiplication_in_four_modes) {
  const std::vector<float> values = operands(40);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(static_cast<std::size_t>(4) * n * n);
  multiply<<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  expect_rounded(
      out, [&](std::size_t i) { return static_cast<double>(values[i / n]) * values[i % n]; },
      "product");
}

CASE(division_in_four_modes) {
  const std::vector<float> values = operands(40);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(static_cast<std::size_t>(4) * n * n);
  divide<<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  expect_rounded(
      out, [&](std::size_t i) { return soft_float::divide_odd(values[i / n], values[i % n]); },
      "quotient");
}

__global__ void unary(const float* in, float* root, float* reciprocal, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  root[4 * i] = __fsqrt_rn(in[i]);
  root[4 * i + 1] = __fsqrt_rz(in[i]);
  root[4 * i + 2] = __fsqrt_ru(in[i]);
  root[4 * i + 3] = __fsqrt_rd(in[i]);
  reciprocal[4 * i] = __frcp_rn(in[i]);
  reciprocal[4 * i + 1] = __frcp_rz(in[i]);
  reciprocal[4 * i + 2] = __frcp_ru(in[i]);
  reciprocal[4 * i + 3] = __frcp_rd(in[i]);
}

CASE(square_root_and_reciprocal_in_four_modes) {
  const std::vector<float> values = operands(2000);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), root(4 * values.size()), reciprocal(4 * values.size());
  unary<<<(n + 127) / 128, 128>>>(in.ptr(), root.ptr(), reciprocal.ptr(), n);
  expect_rounded(
      root, [&](std::size_t i) { return soft_float::sqrt_odd(values[i]); }, "square root");
  expect_rounded(
      reciprocal, [&](std::size_t i) { return soft_float::divide_odd(1.0, values[i]); },
      "reciprocal");
}

__global__ void fused(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  out[4 * i] = __fmaf_rn(a, b, c);
  out[4 * i + 1] = __fmaf_rz(a, b, c);
  out[4 * i + 2] = __fmaf_ru(a, b, c);
  out[4 * i + 3] = __fmaf_rd(a, b, c);
}

CASE(fused_multiply_add_in_four_modes) {
  const std::vector<float> values = operands(60);
  constexpr int kTriples = 20000;
  conformance::Random random(9);
  std::vector<float> triples(3 * kTriples);
  for (int i = 0; i < kTriples; ++i) {
    for (int k = 0; k < 3; ++k) triples[3 * i + k] = values[random.below(int(values.size()))];
    if (i % 3 == 0) triples[3 * i + 2] = -triples[3 * i] * triples[3 * i + 1];
    // A product that cancels to an exact zero has the mode's sign, which other cases look at.
    const double a = triples[3 * i], b = triples[3 * i + 1];
    if (a * b == -static_cast<double>(triples[3 * i + 2])) triples[3 * i + 2] = 0.25f;
    if (triples[3 * i + 2] == 0) triples[3 * i + 2] = 0.5f;
  }
  Buffer<float> in(triples), out(4 * kTriples);
  fused<<<(kTriples + 127) / 128, 128>>>(in.ptr(), out.ptr(), kTriples);
  expect_rounded(
      out,
      [&](std::size_t i) {
        return soft_float::fma_odd(triples[3 * i], triples[3 * i + 1], triples[3 * i + 2]);
      },
      "fused");
}

__global__ void reciprocal_root(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __frsqrt_rn(in[i]);
}

CASE(reciprocal_square_root_to_nearest) {
  std::vector<float> values = operands(2000);
  for (float& value : values) value = std::abs(value);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(values.size());
  reciprocal_root<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  // In long double, whose error is far below the distance of any float's result from a tie.
  EXPECT_EACH(out, [&](std::size_t i) {
    return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(values[i])));
  });
}

__global__ void plain_operators(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const float a = in[i / n], b = in[i % n];
  out[4 * i] = a + b;
  out[4 * i + 1] = a * b;
  out[4 * i + 2] = a / b;
  out[4 * i + 3] = sqrtf(a);
}

// The defaults are IEEE: division and square root are correctly rounded, subnormals are kept.
CASE(plain_operators_round_to_nearest) {
  const std::vector<float> values = operands(20);
  const int n = static_cast<int>(values.size());
  Buffer<float> in(values), out(static_cast<std::size_t>(4) * n * n);
  plain_operators<<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  conformance::expect_elements(
      out,
      [&](std::size_t at, float got) {
        const double a = values[at / 4 / n], b = values[at / 4 % n];
        const double exact = at % 4 == 0   ? soft_float::add_odd(a, b)
                             : at % 4 == 1 ? a * b
                             : at % 4 == 2 ? soft_float::divide_odd(a, b)
                                           : soft_float::sqrt_odd(a);
        if (std::isnan(exact)) return std::isnan(got);
        return bits_of(got) == soft_float::encode(soft_float::kFloat, exact);
      },
      [&](std::size_t at) {
        return "operation " + std::to_string(at % 4) + " on " +
               conformance::show(values[at / 4 / n]) + " and " +
               conformance::show(values[at / 4 % n]);
      },
      "operators", __FILE__, __LINE__);
}

__global__ void contracted_or_not(float* out, float tiny) {
  const float a = 1.0f + tiny, square = __fmul_rn(a, a);
  out[0] = fmaf(a, a, -square);                  // what rounding the square lost
  out[1] = __fadd_rn(__fmul_rn(a, a), -square);  // never fused
}

CASE(fma_shows_the_rounding_of_a_product) {
  Buffer<float> out(2);
  contracted_or_not<<<1, 1>>>(out.ptr(), 0x1p-12f);
  EXPECT_EACH(out, [](std::size_t i) { return i == 0 ? 0x1p-24f : 0.0f; });
}
