// Double-precision operations with a stated rounding mode. The host finds the sign of what was
// lost in rounding exactly, and from it where each mode must land.
#include "../conformance.hpp"
#include "../soft_float.hpp"

using conformance::Buffer;
using soft_float::Round;

constexpr Round kModes[4] = {Round::nearest_even, Round::toward_zero, Round::up, Round::down};

/// Magnitudes between 2^-60 and 2^60: residuals are then exact doubles themselves.
static std::vector<double> operands(int count, std::uint64_t seed) {
  std::vector<double> values{1.0, 2.0, 3.0, 0.1, 1.0 + 0x1p-52, 1.0 - 0x1p-53, 1e10};
  conformance::Random random(seed);
  while (values.size() < static_cast<std::size_t>(count)) {
    const double magnitude = std::ldexp(random.uniform(1, 2), random.below(120) - 60);
    values.push_back(random.below(2) == 0 ? magnitude : -magnitude);
  }
  return values;
}

#define BINARY(kernel, operation)                                \
  __global__ void kernel(const double* in, double* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;         \
    if (i >= n * n) return;                                      \
    const double a = in[i / n], b = in[i % n];                   \
    out[4 * i] = operation##_rn(a, b);                           \
    out[4 * i + 1] = operation##_rz(a, b);                       \
    out[4 * i + 2] = operation##_ru(a, b);                       \
    out[4 * i + 3] = operation##_rd(a, b);                       \
  }

BINARY(add, __dadd)
BINARY(subtract, __dsub)
BINARY(multiply, __dmul)
BINARY(divide, __ddiv)

struct Rounded {
  double nearest, residual;
};

template <class Reference>
static void check_binary(void (*kernel)(const double*, double*, int), Reference reference) {
  const std::vector<double> values = operands(80, 21);
  const int n = static_cast<int>(values.size());
  Buffer<double> in(values), out(static_cast<std::size_t>(4) * n * n);
  kernel<<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    const Rounded r = reference(values[i / 4 / n], values[i / 4 % n]);
    return soft_float::directed(r.nearest, r.residual, kModes[i % 4]);
  });
}

CASE(addition_and_subtraction_in_four_modes) {
  check_binary(add,
               [](double a, double b) { return Rounded{a + b, soft_float::sum_residual(a, b)}; });
  check_binary(subtract,
               [](double a, double b) { return Rounded{a - b, soft_float::sum_residual(a, -b)}; });
}

CASE(multiplication_in_four_modes) {
  check_binary(multiply, [](double a, double b) {
    const double product = a * b;
    return Rounded{product, std::fma(a, b, -product)};
  });
}

CASE(division_in_four_modes) {
  check_binary(divide, [](double a, double b) {
    const double quotient = a / b;
    const double remainder = std::fma(-quotient, b, a);
    return Rounded{quotient, b > 0 ? remainder : -remainder};
  });
}

__global__ void unary(const double* in, double* root, double* reciprocal, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double positive = fabs(in[i]);
  root[4 * i] = __dsqrt_rn(positive);
  root[4 * i + 1] = __dsqrt_rz(positive);
  root[4 * i + 2] = __dsqrt_ru(positive);
  root[4 * i + 3] = __dsqrt_rd(positive);
  reciprocal[4 * i] = __drcp_rn(in[i]);
  reciprocal[4 * i + 1] = __drcp_rz(in[i]);
  reciprocal[4 * i + 2] = __drcp_ru(in[i]);
  reciprocal[4 * i + 3] = __drcp_rd(in[i]);
}

CASE(square_root_and_reciprocal_in_four_modes) {
  const std::vector<double> values = operands(1000, 5);
  const int n = static_cast<int>(values.size());
  Buffer<double> in(values), root(4 * values.size()), reciprocal(4 * values.size());
  unary<<<(n + 127) / 128, 128>>>(in.ptr(), root.ptr(), reciprocal.ptr(), n);
  EXPECT_EACH(root, [&](std::size_t i) {
    const double value = std::abs(values[i / 4]), nearest = std::sqrt(value);
    return soft_float::directed(nearest, std::fma(-nearest, nearest, value), kModes[i % 4]);
  });
  EXPECT_EACH(reciprocal, [&](std::size_t i) {
    const double value = values[i / 4], nearest = 1.0 / value;
    const double remainder = std::fma(-nearest, value, 1.0);
    return soft_float::directed(nearest, value > 0 ? remainder : -remainder, kModes[i % 4]);
  });
}

__global__ void fused(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  out[4 * i] = __fma_rn(a, b, c);
  out[4 * i + 1] = __fma_rz(a, b, c);
  out[4 * i + 2] = __fma_ru(a, b, c);
  out[4 * i + 3] = __fma_rd(a, b, c);
}

CASE(fused_multiply_add_in_four_modes) {
  constexpr int kTriples = 4000;
  std::vector<double> triples = operands(3 * kTriples, 77);
  for (int i = 0; i < kTriples; i += 2) {
    // Nearly cancelling, with a last bit that keeps the sum from being exactly zero.
    const double product = triples[3 * i] * triples[3 * i + 1];
    triples[3 * i + 2] = -std::nextafter(product, 0.0);
  }
  Buffer<double> in(triples), out(4 * kTriples);
  fused<<<(kTriples + 127) / 128, 128>>>(in.ptr(), out.ptr(), kTriples);
  EXPECT_EACH(out, [&](std::size_t i) {
    const double a = triples[i / 4 * 3], b = triples[i / 4 * 3 + 1], c = triples[i / 4 * 3 + 2];
    const double nearest = std::fma(a, b, c), product = a * b;
    const double terms[4] = {product, std::fma(a, b, -product), c, -nearest};
    return soft_float::directed(nearest, soft_float::sign_of_sum(terms), kModes[i % 4]);
  });
}

__global__ void exact_results(double* out, double a) {
  out[0] = fma(a, a, -1.0 - 0x1p-51);  // (1 + 2^-52)^2 - 1 - 2^-51
  out[1] = __dadd_ru(1.0, 0x1p-300);
  out[2] = __dadd_rd(1.0, 0x1p-300);
  out[3] = __dadd_rz(-1.0, 0x1p-300);
  out[4] = __dmul_ru(0x1p-1074, 0.5);  // up from below the smallest subnormal
  out[5] = __dmul_rz(0x1p1023, 4.0);   // overflow stops at the largest number
  out[6] = __dmul_rn(0x1p1023, 4.0);
  out[7] = __ddiv_rn(1.0, 3.0);
}

CASE(results_known_in_closed_form) {
  Buffer<double> out(8);
  exact_results<<<1, 1>>>(out.ptr(), 1.0 + 0x1p-52);
  const double want[8] = {0x1p-104,
                          1.0 + 0x1p-52,
                          1.0,
                          -1.0 + 0x1p-53,
                          0x1p-1074,
                          std::numeric_limits<double>::max(),
                          std::numeric_limits<double>::infinity(),
                          0x1.5555555555555p-2};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}
