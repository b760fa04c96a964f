// Single-precision functions against the same functions in double, within the errors that the
// CUDA programming guide states for them (its table of maximum ulp error).
#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kCount = 4000;

template <class Function>
__global__ void apply(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = Function{}(in[i]);
}

template <class Function>
__global__ void apply_two(const float* a, const float* b, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = Function{}(a[i], b[i]);
}

template <class Function>
static void check(double low, double high, double ulps, double (*exact)(double)) {
  const std::vector<float> values = conformance::random_floats(kCount, low, high, 101);
  Buffer<float> in(values), out(kCount);
  apply<Function><<<(kCount + 255) / 256, 256>>>(in.ptr(), out.ptr());
  EXPECT_ULP(out, ulps, [&](std::size_t i) { return exact(values[i]); });
}

#define FUNCTION(name)                           \
  struct Device_##name {                         \
    __device__ float operator()(float x) const { \
      return name(x);                            \
    }                                            \
  };
#define FUNCTION_OF_TWO(name)                             \
  struct Device_##name {                                  \
    __device__ float operator()(float x, float y) const { \
      return name(x, y);                                  \
    }                                                     \
  };

FUNCTION(expf)
FUNCTION(exp2f)
FUNCTION(exp10f)
FUNCTION(expm1f)
static double ten_to(double x) {
  return std::pow(10.0, x);
}
CASE(exponentials) {
  check<Device_expf>(-87, 88, 2, std::exp);
  check<Device_expf>(-103, -87, 2, std::exp);  // subnormal results
  check<Device_exp2f>(-126, 127, 2, std::exp2);
  check<Device_exp10f>(-37, 38, 2, ten_to);
  check<Device_expm1f>(-2, 2, 1, std::expm1);
}

FUNCTION(logf)
FUNCTION(log2f)
FUNCTION(log10f)
FUNCTION(log1pf)
CASE(logarithms) {
  check<Device_logf>(1e-30, 1e-3, 1, std::log);
  check<Device_logf>(0.5, 2, 1, std::log);
  check<Device_log2f>(0.5, 1e6, 1, std::log2);
  check<Device_log10f>(1e-5, 1e6, 2, std::log10);
  check<Device_log1pf>(-0.9, 10, 1, std::log1p);
}

FUNCTION(sinf)
FUNCTION(cosf)
FUNCTION(tanf)
FUNCTION(sinpif)
FUNCTION(cospif)
static double sin_pi(double x) {
  return std::sin(M_PI * std::fmod(x, 2.0));
}
CASE(trigonometry) {
  check<Device_sinf>(-10, 10, 2, std::sin);
  check<Device_sinf>(-1e6, 1e6, 2, std::sin);
  check<Device_cosf>(-10, 10, 2, std::cos);
  check<Device_cosf>(1e7, 1e9, 2, std::cos);
  check<Device_tanf>(-1.5, 1.5, 4, std::tan);
  check<Device_sinpif>(-0.9, 0.9, 1, sin_pi);
  check<Device_cospif>(-0.4, 0.4, 1, [](double x) { return std::cos(M_PI * x); });
}

FUNCTION(asinf)
FUNCTION(acosf)
FUNCTION(atanf)
FUNCTION_OF_TWO(atan2f)
CASE(inverse_trigonometry) {
  check<Device_asinf>(-1, 1, 4, std::asin);
  check<Device_acosf>(-1, 1, 3, std::acos);
  check<Device_atanf>(-100, 100, 2, std::atan);
  const std::vector<float> y = conformance::random_floats(kCount, -5, 5, 6);
  const std::vector<float> x = conformance::random_floats(kCount, -5, 5, 7);
  Buffer<float> a(y), b(x), out(kCount);
  apply_two<Device_atan2f><<<(kCount + 255) / 256, 256>>>(a.ptr(), b.ptr(), out.ptr());
  EXPECT_ULP(out, 3, [&](std::size_t i) {
    return std::atan2(static_cast<double>(y[i]), static_cast<double>(x[i]));
  });
}

FUNCTION(sinhf)
FUNCTION(coshf)
FUNCTION(tanhf)
FUNCTION(asinhf)
FUNCTION(acoshf)
FUNCTION(atanhf)
CASE(hyperbolics) {
  check<Device_sinhf>(-20, 20, 3, std::sinh);
  check<Device_coshf>(-20, 20, 2, std::cosh);
  check<Device_tanhf>(-5, 5, 2, std::tanh);
  check<Device_asinhf>(-20, 20, 3, std::asinh);
  check<Device_acoshf>(1, 50, 4, std::acosh);
  check<Device_atanhf>(-0.99, 0.99, 3, std::atanh);
}

FUNCTION(rsqrtf)
FUNCTION(cbrtf)
FUNCTION(rcbrtf)
FUNCTION_OF_TWO(hypotf)
FUNCTION_OF_TWO(rhypotf)
FUNCTION_OF_TWO(powf)
CASE(roots_and_powers) {
  check<Device_rsqrtf>(1e-6, 1e6, 2, [](double x) { return 1 / std::sqrt(x); });
  check<Device_cbrtf>(-1e6, 1e6, 1, std::cbrt);
  check<Device_rcbrtf>(1e-3, 1e6, 1, [](double x) { return 1 / std::cbrt(x); });
  const std::vector<float> x = conformance::random_floats(kCount, 0.01, 50, 8);
  const std::vector<float> y = conformance::random_floats(kCount, -12, 12, 9);
  Buffer<float> a(x), b(y), out(kCount);
  apply_two<Device_powf><<<(kCount + 255) / 256, 256>>>(a.ptr(), b.ptr(), out.ptr());
  EXPECT_ULP(out, 4, [&](std::size_t i) {
    return std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
  });
  apply_two<Device_hypotf><<<(kCount + 255) / 256, 256>>>(a.ptr(), b.ptr(), out.ptr());
  EXPECT_ULP(out, 3, [&](std::size_t i) {
    return std::hypot(static_cast<double>(x[i]), static_cast<double>(y[i]));
  });
  apply_two<Device_rhypotf><<<(kCount + 255) / 256, 256>>>(a.ptr(), b.ptr(), out.ptr());
  EXPECT_ULP(out, 2, [&](std::size_t i) {
    return 1 / std::hypot(static_cast<double>(x[i]), static_cast<double>(y[i]));
  });
}

FUNCTION(erff)
FUNCTION(erfcf)
FUNCTION(tgammaf)
FUNCTION(lgammaf)
FUNCTION(normcdff)
FUNCTION(erfinvf)
static double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}
CASE(error_and_gamma_functions) {
  check<Device_erff>(-4, 4, 2, std::erf);
  check<Device_erfcf>(-4, 9, 4, std::erfc);
  check<Device_tgammaf>(0.1, 30, 11, std::tgamma);
  check<Device_lgammaf>(0.1, 50, 6, std::lgamma);
  check<Device_normcdff>(-5, 5, 6, normal_cdf);
  // The inverse is judged by the function it inverts: erf(erfinv(x)) must come back to x.
  const std::vector<float> values = conformance::random_floats(kCount, -0.99, 0.99, 3);
  Buffer<float> in(values), out(kCount);
  apply<Device_erfinvf><<<(kCount + 255) / 256, 256>>>(in.ptr(), out.ptr());
  const std::vector<float> inverse = out.host();
  std::vector<double> back(kCount);
  for (int i = 0; i < kCount; ++i) back[i] = std::erf(static_cast<double>(inverse[i]));
  EXPECT_NEAR(back, 1e-7, 3e-7, [&](std::size_t i) { return static_cast<double>(values[i]); });
}

__global__ void pairs_of_results(const float* in, float* sine, float* cosine, float* norm) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  sincosf(in[i], &sine[i], &cosine[i]);
  norm[i] = norm3df(in[i], 2.0f, 3.0f);
}

CASE(sincos_and_norm) {
  const std::vector<float> values = conformance::random_floats(kCount, -8, 8, 5);
  Buffer<float> in(values), sine(kCount), cosine(kCount), norm(kCount);
  pairs_of_results<<<(kCount + 255) / 256, 256>>>(in.ptr(), sine.ptr(), cosine.ptr(), norm.ptr());
  EXPECT_ULP(sine, 2, [&](std::size_t i) { return std::sin(static_cast<double>(values[i])); });
  EXPECT_ULP(cosine, 2, [&](std::size_t i) { return std::cos(static_cast<double>(values[i])); });
  EXPECT_ULP(norm, 3, [&](std::size_t i) {
    const double x = values[i];
    return std::sqrt(x * x + 4 + 9);
  });
}

// In C++ the plain names are overloaded: for a float they compute in single precision.
__global__ void overloaded(const float* in, float* out, int* sizes) {
  const int i = threadIdx.x;
  out[5 * i] = exp(in[i]);
  out[5 * i + 1] = sqrt(in[i]);
  out[5 * i + 2] = fabs(-in[i]);
  out[5 * i + 3] = max(in[i], 2.0f);
  out[5 * i + 4] = pow(in[i], 2.0f);
  sizes[i] = static_cast<int>(sizeof(exp(in[i])) + 10 * sizeof(floor(in[i])));
}

CASE(plain_names_are_overloaded_for_float) {
  const std::vector<float> values = conformance::random_floats(64, 0.1, 4, 5);
  Buffer<float> in(values), out(5 * 64);
  Buffer<int> sizes(64);
  overloaded<<<1, 64>>>(in.ptr(), out.ptr(), sizes.ptr());
  EXPECT_ULP(out, 4, [&](std::size_t at) {
    const double x = values[at / 5];
    const double want[5] = {std::exp(x), std::sqrt(x), x, x > 2 ? x : 2, x * x};
    return want[at % 5];
  });
  EXPECT_EACH(sizes, [](std::size_t) { return 44; });
}
