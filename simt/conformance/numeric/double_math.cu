// Double-precision functions against long double, within the programming guide's ulp errors.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kCount = 2000;

template <class Function>
__global__ void apply(const double* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = Function{}(in[i]);
}

static std::vector<double> random_doubles(double low, double high, std::uint64_t seed) {
  conformance::Random random(seed);
  std::vector<double> values(kCount);
  for (double& value : values) value = random.uniform(low, high);
  return values;
}

template <class Function>
static void check(double low, double high, double ulps, long double (*exact)(long double)) {
  const std::vector<double> values = random_doubles(low, high, 55);
  Buffer<double> in(values), out(kCount);
  apply<Function><<<(kCount + 255) / 256, 256>>>(in.ptr(), out.ptr());
  EXPECT_ULP(out, ulps, [&](std::size_t i) { return exact(values[i]); });
}

#define FUNCTION(name)                             \
  struct Device_##name {                           \
    __device__ double operator()(double x) const { \
      return name(x);                              \
    }                                              \
  };

FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(log1p)
CASE(exponentials_and_logarithms) {
  check<Device_exp>(-700, 700, 1, std::exp);
  check<Device_exp2>(-1000, 1000, 1, std::exp2);
  check<Device_expm1>(-2, 2, 1, std::expm1);
  check<Device_log>(1e-5, 1e5, 1, std::log);
  check<Device_log2>(1e-5, 1e5, 1, std::log2);
  check<Device_log10>(1e-5, 1e5, 1, std::log10);
  check<Device_log1p>(-0.9, 10, 1, std::log1p);
}

FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
CASE(trigonometry) {
  check<Device_sin>(-100, 100, 2, std::sin);
  check<Device_cos>(-100, 100, 2, std::cos);
  check<Device_tan>(-1.5, 1.5, 2, std::tan);
  check<Device_asin>(-1, 1, 2, std::asin);
  check<Device_acos>(-1, 1, 2, std::acos);
  check<Device_atan>(-50, 50, 2, std::atan);
}

FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
CASE(hyperbolics) {
  check<Device_sinh>(-20, 20, 2, std::sinh);
  check<Device_cosh>(-20, 20, 1, std::cosh);
  check<Device_tanh>(-5, 5, 1, std::tanh);
  check<Device_asinh>(-20, 20, 3, std::asinh);
  check<Device_acosh>(1, 50, 3, std::acosh);
  check<Device_atanh>(-0.99, 0.99, 2, std::atanh);
}

FUNCTION(sqrt)
FUNCTION(rsqrt)
FUNCTION(cbrt)
FUNCTION(erf)
FUNCTION(erfc)
FUNCTION(tgamma)
FUNCTION(lgamma)
CASE(roots_error_and_gamma) {
  check<Device_sqrt>(0, 1e10, 0, std::sqrt);
  check<Device_rsqrt>(1e-10, 1e10, 1, [](long double x) { return 1 / std::sqrt(x); });
  check<Device_cbrt>(-1e10, 1e10, 1, std::cbrt);
  check<Device_erf>(-4, 4, 2, std::erf);
  check<Device_erfc>(-4, 20, 5, std::erfc);
  check<Device_tgamma>(0.1, 100, 10, std::tgamma);
  check<Device_lgamma>(0.1, 100, 4, std::lgamma);
}

__global__ void lengths(double* out) {
  const double a[] = {2, 3, 6, 0, 24};  // 2² + 3² + 6² = 7², 7² + 24² = 25²
  const float b[] = {2, 3, 6, 0, 24};
  const double all[] = {norm(3, a),
                        norm(5, a),
                        1 / rnorm(3, a),
                        normf(5, b),
                        1 / rnormf(3, b),
                        norm4d(2, 3, 6, 24),
                        norm4df(2, 3, 6, 24),
                        1 / rnorm4d(2, 3, 6, 24),
                        1 / rnorm4df(2, 3, 6, 24)};
  for (int i = 0; i < 9; ++i) out[i] = all[i];
}

CASE(lengths_of_vectors) {
  Buffer<double> out(9);
  lengths<<<1, 1>>>(out.ptr());
  EXPECT_NEAR(out, 0, 4e-7, [](std::size_t i) { return i == 0 || i == 2 || i == 4 ? 7.0 : 25.0; });
}

__global__ void inverse_erfc(const double* in, double* out) {
  out[2 * threadIdx.x] = erfcinv(in[threadIdx.x]);
  out[2 * threadIdx.x + 1] = static_cast<double>(erfcinvf(static_cast<float>(in[threadIdx.x])));
}

CASE(erfc_undoes_its_inverse) {
  std::vector<double> values;
  for (double y = 1e-12; y < 2; y *= 1.5) values.push_back(y);
  Buffer<double> in(values), out(2 * values.size());
  inverse_erfc<<<1, static_cast<unsigned>(values.size())>>>(in.ptr(), out.ptr());
  std::vector<double> back = out.host();
  for (double& x : back) x = std::erfc(x);
  EXPECT_NEAR(back, 0, 1e-5, [&](std::size_t i) { return values[i / 2]; });
}

__global__ void of_two(const double* a, const double* b, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  out[4 * i] = pow(a[i], b[i]);
  out[4 * i + 1] = hypot(a[i], b[i]);
  out[4 * i + 2] = atan2(b[i], a[i]);
  out[4 * i + 3] = fmod(a[i], b[i]);
}

CASE(functions_of_two) {
  const std::vector<double> x = random_doubles(0.01, 30, 1), y = random_doubles(-20, 20, 2);
  Buffer<double> a(x), b(y), out(4 * kCount);
  of_two<<<(kCount + 255) / 256, 256>>>(a.ptr(), b.ptr(), out.ptr());
  EXPECT_ULP(out, 2, [&](std::size_t at) {
    const long double u = x[at / 4], v = y[at / 4];
    switch (at % 4) {
      case 0:
        return std::pow(u, v);
      case 1:
        return std::hypot(u, v);
      case 2:
        return std::atan2(v, u);
      default:
        return std::fmod(u, v);
    }
  });
}
