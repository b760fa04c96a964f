// Arithmetic on __half and __nv_bfloat16: every result is the exact one rounded once.
#include "narrow.hpp"

using conformance::Buffer;
using Bits = std::vector<unsigned short>;

template <class T, class Operation>
__global__ void binary(const unsigned short* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const T a = Narrow<T>::from_bits(in[i / n]), b = Narrow<T>::from_bits(in[i % n]);
  out[i] = Narrow<T>::bits(Operation{}(a, b));
}

// All pairs of the chosen values; `exact(a, b)` is the result before rounding.
template <class T, class Operation, class Exact>
static void check_binary(Exact exact) {
  const Bits patterns = chosen_patterns<T>(40);
  const int n = static_cast<int>(patterns.size());
  Buffer<unsigned short> in(patterns), out(static_cast<std::size_t>(n) * n);
  binary<T, Operation><<<(n * n + 255) / 256, 256>>>(in.ptr(), out.ptr(), n);
  conformance::expect_elements(
      out,
      [&](std::size_t i, unsigned short got) {
        const double a = value_of<T>(patterns[i / n]), b = value_of<T>(patterns[i % n]);
        const auto want = soft_float::encode(Narrow<T>::kFormat, exact(a, b));
        return same_bits<T>(got, static_cast<unsigned short>(want));
      },
      [&](std::size_t i) {
        const double a = value_of<T>(patterns[i / n]), b = value_of<T>(patterns[i % n]);
        return conformance::show(exact(a, b)) + " rounded, from " + conformance::show(a) + " and " +
               conformance::show(b);
      },
      "binary", __FILE__, __LINE__);
}

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return __hadd(a, b);
  }
};
struct AddRn {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return __hadd_rn(a, b);
  }
};
struct Subtract {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return __hsub(a, b);
  }
};
struct Multiply {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return __hmul(a, b);
  }
};
struct Divide {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return __hdiv(a, b);
  }
};
struct Operators {
  template <class T>
  __device__ T operator()(T a, T b) const {
    T sum = a;
    sum += b;
    return a + b == sum ? a + b : sum;
  }
};
struct OperatorProduct {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a * b;
  }
};

static double exact_sum(double a, double b) {
  return soft_float::add_odd(a, b);
}
static double exact_difference(double a, double b) {
  return soft_float::add_odd(a, -b);
}
static double exact_product(double a, double b) {
  return a * b;
}
static double exact_quotient(double a, double b) {
  return soft_float::divide_odd(a, b);
}

CASE(half_add) {
  check_binary<__half, Add>(exact_sum);
  check_binary<__half, AddRn>(exact_sum);
}
CASE(half_subtract) {
  check_binary<__half, Subtract>(exact_difference);
}
CASE(half_multiply) {
  check_binary<__half, Multiply>(exact_product);
}
CASE(half_divide) {
  check_binary<__half, Divide>(exact_quotient);
}
CASE(half_operators) {
  check_binary<__half, Operators>(exact_sum);
  check_binary<__half, OperatorProduct>(exact_product);
}
CASE(bfloat16_add) {
  check_binary<__nv_bfloat16, Add>(exact_sum);
  check_binary<__nv_bfloat16, AddRn>(exact_sum);
}
CASE(bfloat16_subtract) {
  check_binary<__nv_bfloat16, Subtract>(exact_difference);
}
CASE(bfloat16_multiply) {
  check_binary<__nv_bfloat16, Multiply>(exact_product);
}
CASE(bfloat16_divide) {
  check_binary<__nv_bfloat16, Divide>(exact_quotient);
}
CASE(bfloat16_operators) {
  check_binary<__nv_bfloat16, Operators>(exact_sum);
  check_binary<__nv_bfloat16, OperatorProduct>(exact_product);
}

template <class T>
__global__ void fused(const unsigned short* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T a = Narrow<T>::from_bits(in[3 * i]), b = Narrow<T>::from_bits(in[3 * i + 1]),
          c = Narrow<T>::from_bits(in[3 * i + 2]);
  out[3 * i] = Narrow<T>::bits(__hfma(a, b, c));
  out[3 * i + 1] = Narrow<T>::bits(__hfma_sat(a, b, c));
  out[3 * i + 2] = Narrow<T>::bits(__hfma_relu(a, b, c));
}

// Saturation takes NaN to zero; relu keeps it. Zeros are compared without their sign.
static double saturated(double x) {
  return std::isnan(x) || x < 0 ? 0 : x > 1 ? 1 : x;
}

template <class T>
static void check_fused() {
  const Bits patterns = chosen_patterns<T>(60);
  constexpr int kTriples = 20000;
  conformance::Random random(11);
  Bits triples(3 * kTriples);
  for (int i = 0; i < kTriples; ++i) {
    for (int j = 0; j < 3; ++j) triples[3 * i + j] = patterns[random.below(int(patterns.size()))];
    // Every other triple nearly cancels: there the single rounding shows.
    if (i % 2 == 0) {
      const double product = value_of<T>(triples[3 * i]) * value_of<T>(triples[3 * i + 1]);
      triples[3 * i + 2] =
          static_cast<unsigned short>(soft_float::encode(Narrow<T>::kFormat, -product));
    }
  }
  Buffer<unsigned short> in(triples), out(3 * kTriples);
  fused<T><<<(kTriples + 127) / 128, 128>>>(in.ptr(), out.ptr(), kTriples);
  auto exact = [&](std::size_t i) {
    return soft_float::fma_odd(value_of<T>(triples[i / 3 * 3]), value_of<T>(triples[i / 3 * 3 + 1]),
                               value_of<T>(triples[i / 3 * 3 + 2]));
  };
  conformance::expect_elements(
      out,
      [&](std::size_t i, unsigned short got) {
        const auto bits = soft_float::encode(Narrow<T>::kFormat, exact(i));
        const double rounded = value_of<T>(static_cast<unsigned short>(bits));
        if (i % 3 == 0) return same_bits<T>(got, static_cast<unsigned short>(bits));
        if (i % 3 == 1) return value_of<T>(got) == saturated(rounded);
        return conformance::same(value_of<T>(got), rounded < 0 ? 0.0 : rounded);
      },
      [&](std::size_t i) { return conformance::show(exact(i)) + " rounded"; }, "fused", __FILE__,
      __LINE__);
}

CASE(half_fma) {
  check_fused<__half>();
}
CASE(bfloat16_fma) {
  check_fused<__nv_bfloat16>();
}

template <class T>
__global__ void saturating(const unsigned short* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  const T a = Narrow<T>::from_bits(in[i / n]), b = Narrow<T>::from_bits(in[i % n]);
  out[3 * i] = Narrow<T>::bits(__hadd_sat(a, b));
  out[3 * i + 1] = Narrow<T>::bits(__hsub_sat(a, b));
  out[3 * i + 2] = Narrow<T>::bits(__hmul_sat(a, b));
}

template <class T>
static void check_saturating() {
  const Bits patterns = chosen_patterns<T>(10);
  const int n = static_cast<int>(patterns.size());
  Buffer<unsigned short> in(patterns), out(static_cast<std::size_t>(3) * n * n);
  saturating<T><<<(n * n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  std::vector<double> got;
  for (const unsigned short bits : out.host()) got.push_back(value_of<T>(bits));
  EXPECT_EACH(got, [&](std::size_t i) {
    const double a = value_of<T>(patterns[i / 3 / n]), b = value_of<T>(patterns[i / 3 % n]);
    const double exact = i % 3 == 0 ? exact_sum(a, b) : i % 3 == 1 ? exact_difference(a, b) : a * b;
    return saturated(soft_float::round_to(Narrow<T>::kFormat, exact));
  });
}

CASE(half_saturating) {
  check_saturating<__half>();
}
CASE(bfloat16_saturating) {
  check_saturating<__nv_bfloat16>();
}

template <class T>
__global__ void signs(unsigned short* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T value = Narrow<T>::from_bits(static_cast<unsigned short>(i));
  out[2 * i] = Narrow<T>::bits(__hneg(value));
  out[2 * i + 1] = Narrow<T>::bits(__habs(value));
}

template <class T>
static void check_signs() {
  Buffer<unsigned short> out(2 * 65536);
  signs<T><<<256, 256>>>(out.ptr());
  conformance::expect_elements(
      out,
      [](std::size_t i, unsigned short got) {
        const auto bits = static_cast<unsigned short>(i / 2);
        const int want = i % 2 == 0 ? bits ^ 0x8000 : bits & 0x7fff;
        return same_bits<T>(got, static_cast<unsigned short>(want));
      },
      [](std::size_t i) { return "sign changed in " + conformance::show(i / 2); }, "signs",
      __FILE__, __LINE__);
}

CASE(half_negation_and_absolute_value) {
  check_signs<__half>();
}
CASE(bfloat16_negation_and_absolute_value) {
  check_signs<__nv_bfloat16>();
}
