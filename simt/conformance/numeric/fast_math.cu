// The fast intrinsics, within the error bounds of the programming guide's table for them.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kCount = 4000;

template <class Function>
__global__ void apply(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) out[i] = Function{}(in[i]);
}

template <class Function>
static std::vector<float> results(const std::vector<float>& values) {
  Buffer<float> in(values), out(kCount);
  apply<Function><<<(kCount + 255) / 256, 256>>>(in.ptr(), out.ptr());
  return out.host();
}

#define FUNCTION(name)                           \
  struct Device_##name {                         \
    __device__ float operator()(float x) const { \
      return name(x);                            \
    }                                            \
  };

FUNCTION(__expf)
FUNCTION(__exp10f)
CASE(exponentials) {
  // 2 + floor(abs(1.173 x)) ulp for base e, 2 + floor(abs(2.97 x)) for base ten.
  const std::vector<float> x = conformance::random_floats(kCount, -80, 80, 1);
  EXPECT_NEAR(results<Device___expf>(x), 0, (2.5 + 1.173 * 80) * 0x1p-23,
              [&](std::size_t i) { return std::exp(static_cast<double>(x[i])); });
  const std::vector<float> near = conformance::random_floats(kCount, -0.8, 0.8, 2);
  EXPECT_ULP(results<Device___expf>(near), 2,
             [&](std::size_t i) { return std::exp(static_cast<double>(near[i])); });
  const std::vector<float> ten = conformance::random_floats(kCount, -30, 30, 3);
  EXPECT_NEAR(results<Device___exp10f>(ten), 0, (2.5 + 2.97 * 30) * 0x1p-23,
              [&](std::size_t i) { return std::pow(10.0, static_cast<double>(ten[i])); });
}

FUNCTION(__logf)
FUNCTION(__log2f)
FUNCTION(__log10f)
CASE(logarithms) {
  // Around one the error is absolute, elsewhere in ulp.
  const std::vector<float> near = conformance::random_floats(kCount, 0.5, 2, 4);
  EXPECT_NEAR(results<Device___logf>(near), 0x1p-21, 0,
              [&](std::size_t i) { return std::log(static_cast<double>(near[i])); });
  EXPECT_NEAR(results<Device___log2f>(near), 0x1p-21, 0,
              [&](std::size_t i) { return std::log2(static_cast<double>(near[i])); });
  EXPECT_NEAR(results<Device___log10f>(near), 0x1p-23, 0,
              [&](std::size_t i) { return std::log10(static_cast<double>(near[i])); });
  const std::vector<float> far = conformance::random_floats(kCount, 2.1, 1e6, 5);
  EXPECT_ULP(results<Device___logf>(far), 3,
             [&](std::size_t i) { return std::log(static_cast<double>(far[i])); });
  EXPECT_ULP(results<Device___log2f>(far), 2,
             [&](std::size_t i) { return std::log2(static_cast<double>(far[i])); });
  EXPECT_ULP(results<Device___log10f>(far), 3,
             [&](std::size_t i) { return std::log10(static_cast<double>(far[i])); });
}

FUNCTION(__sinf)
FUNCTION(__cosf)
FUNCTION(__tanf)
CASE(trigonometry_within_pi) {
  const std::vector<float> x = conformance::random_floats(kCount, -3.14159, 3.14159, 6);
  EXPECT_NEAR(results<Device___sinf>(x), 0x1p-21, 0,
              [&](std::size_t i) { return std::sin(static_cast<double>(x[i])); });
  EXPECT_NEAR(results<Device___cosf>(x), 0x1p-21, 0,
              [&](std::size_t i) { return std::cos(static_cast<double>(x[i])); });
  const std::vector<float> small = conformance::random_floats(kCount, -1.2, 1.2, 7);
  EXPECT_NEAR(results<Device___tanf>(small), 0x1p-18, 0x1p-18,
              [&](std::size_t i) { return std::tan(static_cast<double>(small[i])); });
}

__global__ void of_two(const float* a, const float* b, float* power, float* quotient, float* sine,
                       float* cosine) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kCount) return;
  power[i] = __powf(a[i], b[i]);
  quotient[i] = __fdividef(a[i], b[i]);
  __sincosf(b[i], &sine[i], &cosine[i]);
}

CASE(power_quotient_and_sincos) {
  const std::vector<float> x = conformance::random_floats(kCount, 0.5, 20, 8);
  const std::vector<float> y = conformance::random_floats(kCount, -3, 3, 9);
  Buffer<float> a(x), b(y), power(kCount), quotient(kCount), sine(kCount), cosine(kCount);
  of_two<<<(kCount + 255) / 256, 256>>>(a.ptr(), b.ptr(), power.ptr(), quotient.ptr(), sine.ptr(),
                                        cosine.ptr());
  // exp2(y log2 x): the logarithm's error, times y, is the relative error of the result.
  EXPECT_NEAR(power, 0, 0x1p-17, [&](std::size_t i) {
    return std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
  });
  EXPECT_ULP(quotient, 2, [&](std::size_t i) { return static_cast<double>(x[i]) / y[i]; });
  EXPECT_NEAR(sine, 0x1p-21, 0, [&](std::size_t i) { return std::sin(static_cast<double>(y[i])); });
  EXPECT_NEAR(cosine, 0x1p-21, 0,
              [&](std::size_t i) { return std::cos(static_cast<double>(y[i])); });
}

FUNCTION(__saturatef)
CASE(saturation_to_zero_and_one) {
  std::vector<float> x = conformance::random_floats(kCount, -1, 2, 10);
  x[0] = std::numeric_limits<float>::quiet_NaN();
  x[1] = std::numeric_limits<float>::infinity();
  x[2] = -x[1];
  EXPECT_EACH(results<Device___saturatef>(x), [&](std::size_t i) {
    return x[i] > 1 ? 1.0f : x[i] > 0 ? x[i] : 0.0f;
  });
}

__global__ void fast_in_softmax(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const float mine = __expf(in[threadIdx.x]);
  atomicAdd(&sum, mine);
  __syncthreads();
  out[threadIdx.x] = __fdividef(mine, sum);
}

CASE(fast_functions_in_a_softmax) {
  const std::vector<float> x = conformance::random_floats(128, -4, 4, 11);
  Buffer<float> in(x), out(128);
  fast_in_softmax<<<1, 128>>>(in.ptr(), out.ptr());
  double sum = 0;
  for (const float value : x) sum += std::exp(static_cast<double>(value));
  EXPECT_NEAR(out, 1e-7, 1e-5,
              [&](std::size_t i) { return std::exp(static_cast<double>(x[i])) / sum; });
}
