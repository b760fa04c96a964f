// The parts of the C++ standard library that cuda::std brings to the device.
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void arrays(int* out, cuda::std::array<int, 5> given) {
  cuda::std::array<int, 4> local{{4, 3, 2, 1}};
  local[0] += threadIdx.x;
  int sum = 0;
  for (const int value : local) sum += value;
  out[threadIdx.x] = sum * 100 + static_cast<int>(local.size()) * 10 + given.back();
}

CASE(array) {
  Buffer<int> out(16);
  arrays<<<1, 16>>>(out.ptr(), cuda::std::array<int, 5>{{1, 2, 3, 4, 5}});
  EXPECT_EACH(out, [](std::size_t i) { return (10 + static_cast<int>(i)) * 100 + 45; });
}

__device__ cuda::std::tuple<int, double> divide(int a, int b) {
  return cuda::std::make_tuple(a / b, static_cast<double>(a) / b);
}

__global__ void tuples(double* out) {
  const auto result = divide(static_cast<int>(threadIdx.x), 4);
  const auto [whole, exact] = result;
  cuda::std::pair<int, float> pair{3, 0.5f};
  cuda::std::swap(pair.first, pair.first);
  out[threadIdx.x] = whole * 1000 + exact + cuda::std::get<0>(result) + pair.first + pair.second;
}

CASE(tuple_and_pair) {
  Buffer<double> out(32);
  tuples<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const double whole = static_cast<double>(i / 4);
    return whole * 1001 + static_cast<double>(i) / 4 + 3.5;
  });
}

__global__ void limits_on_device(double* out) {
  out[0] = cuda::std::numeric_limits<int>::max();
  out[1] = cuda::std::numeric_limits<float>::epsilon();
  out[2] = cuda::std::numeric_limits<double>::lowest();
  out[3] = cuda::std::numeric_limits<float>::infinity();
  out[4] = cuda::std::numeric_limits<unsigned char>::digits;
  out[5] = static_cast<double>(cuda::std::numeric_limits<cuda::std::int64_t>::min());
}

CASE(numeric_limits) {
  Buffer<double> out(6);
  limits_on_device<<<1, 1>>>(out.ptr());
  const double want[6] = {2147483647.0,
                          0x1p-23,
                          -std::numeric_limits<double>::max(),
                          std::numeric_limits<double>::infinity(),
                          8,
                          -0x1p63};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

template <class T>
__device__ int describe() {
  int bits = 0;
  if constexpr (cuda::std::is_floating_point_v<T>) bits |= 1;
  if constexpr (cuda::std::is_signed_v<T>) bits |= 2;
  if constexpr (cuda::std::is_pointer_v<T>) bits |= 4;
  if constexpr (cuda::std::is_same_v<cuda::std::remove_cv_t<T>, int>) bits |= 8;
  return bits;
}

__global__ void traits(int* out) {
  out[0] = describe<float>();
  out[1] = describe<const int>();
  out[2] = describe<unsigned*>();
  out[3] = describe<cuda::std::conditional_t<(sizeof(int) > 2), double, char>>();
  out[4] = static_cast<int>(sizeof(cuda::std::common_type_t<int, long long>));
}

CASE(type_traits) {
  Buffer<int> out(5);
  traits<<<1, 1>>>(out.ptr());
  const int want[5] = {3, 10, 4, 3, 8};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

__global__ void complex_numbers(float* out) {
  const float t = static_cast<float>(threadIdx.x);
  const cuda::std::complex<float> a(t, 1.0f), b(2.0f, -1.0f);
  const auto product = a * b + a;
  out[3 * threadIdx.x] = product.real();
  out[3 * threadIdx.x + 1] = product.imag();
  out[3 * threadIdx.x + 2] = cuda::std::norm(a);
}

CASE(complex) {
  Buffer<float> out(3 * 16);
  complex_numbers<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const float t = static_cast<float>(at / 3);
    const float want[3] = {2 * t + 1 + t, 2 - t + 1, t * t + 1};
    return want[at % 3];
  });
}

__device__ cuda::std::optional<int> root_of(int n) {
  for (int r = 0; r * r <= n; ++r) {
    if (r * r == n) return r;
  }
  return cuda::std::nullopt;
}

__global__ void optionals(int* out) {
  const auto root = root_of(static_cast<int>(threadIdx.x));
  out[threadIdx.x] = root.has_value() ? *root + 100 : root.value_or(-1);
}

CASE(optional) {
  Buffer<int> out(50);
  optionals<<<1, 50>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    for (int r = 0; r < 8; ++r) {
      if (r * r == static_cast<int>(i)) return r + 100;
    }
    return -1;
  });
}

__global__ void small_tools(int* out) {
  const int t = static_cast<int>(threadIdx.x);
  int a = t, b = 10;
  if (t % 2 == 0) cuda::std::swap(a, b);
  const int values[4] = {5, 6, 7, 8};
  const cuda::std::span<const int> view(values, 3);
  out[6 * t] = view[t % 3] * 100 + static_cast<int>(view.size());
  out[6 * t + 1] = cuda::std::less<int>()(t, 5) ? cuda::std::negate<int>()(t) : t;
  out[6 * t + 2] = a * 100 + b;
  out[6 * t + 3] = cuda::std::popcount(static_cast<unsigned>(t) * 0x11u);
  out[6 * t + 4] = cuda::std::countl_zero(static_cast<unsigned>(t) + 1u);
  out[6 * t + 5] =
      cuda::std::plus<int>()(t, 1) + static_cast<int>(cuda::std::bit_cast<unsigned>(1.0f) >> 23);
}

CASE(spans_bits_and_function_objects) {
  Buffer<int> out(6 * 16);
  small_tools<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int t = static_cast<int>(at / 6);
    int ones = 0, zeros = 32;
    for (int bit = 0; bit < 4; ++bit) ones += 2 * (t >> bit & 1);
    for (int rest = t + 1; rest > 0; rest /= 2) --zeros;
    const int want[6] = {(5 + t % 3) * 100 + 3,
                         t < 5 ? -t : t,
                         t % 2 == 0 ? 1000 + t : t * 100 + 10,
                         ones,
                         zeros,
                         t + 1 + 127};
    return want[at % 6];
  });
}

__global__ void functions(double* out) {
  out[0] = cuda::std::abs(-2.5);
  out[1] = cuda::std::sqrt(6.25);
  out[2] = cuda::std::floor(-1.5);
  out[3] = cuda::std::isnan(cuda::std::numeric_limits<double>::quiet_NaN()) ? 1 : 0;
  int value = 5;
  const int old = cuda::std::exchange(value, 9);
  out[4] = old * 10 + value;
  out[5] = cuda::std::fmod(7.5, 2.0);
}

CASE(cmath_and_utility) {
  Buffer<double> out(6);
  functions<<<1, 1>>>(out.ptr());
  const double want[6] = {2.5, 2.5, -2, 1, 59, 1.5};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}
