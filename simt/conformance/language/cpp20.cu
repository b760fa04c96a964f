// Newer C++ in device code.
#include <concepts>
#include <type_traits>

#include "../conformance.hpp"

using conformance::Buffer;

template <class T>
concept Number = std::is_arithmetic_v<T>;

template <Number T>
__device__ T twice(T value) {
  return value + value;
}

template <class T>
  requires(sizeof(T) == 8)
__device__ int width(T) {
  return 8;
}
template <class T>
__device__ int width(T) {
  return 4;
}

__global__ void concepts(double* out) {
  out[0] = twice(21);
  out[1] = twice(0.25);
  out[2] = width(1.0) * 10 + width(1.0f);
}

CASE(concepts_and_constraints) {
  Buffer<double> out(3);
  concepts<<<1, 1>>>(out.ptr());
  const double want[3] = {42, 0.5, 84};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

struct Options {
  int width = 1;
  int height = 2;
  bool flip = false;
};

__global__ void designated(int* out, Options options) {
  const Options local{.height = 7, .flip = true};
  out[0] = options.width * 100 + options.height * 10 + (options.flip ? 1 : 0);
  out[1] = local.width * 100 + local.height * 10 + (local.flip ? 1 : 0);
}

CASE(designated_initialisers) {
  Buffer<int> out(2);
  designated<<<1, 1>>>(out.ptr(), Options{.width = 5, .flip = true});
  EXPECT_EACH(out, [](std::size_t i) { return i == 0 ? 521 : 171; });
}

__global__ void template_lambda(int* out) {
  auto pick = []<class T>(T value) {
    return static_cast<int>(sizeof(T)) * 100 + static_cast<int>(value);
  };
  out[0] = pick(3);
  out[1] = pick(4.0);
  if (const int n = static_cast<int>(threadIdx.x); n == 0) out[2] = n + 9;
  const int values[] = {4, 5, 6};
  int sum = 0;
  for (int round = 2; const int value : values) sum += round * value;
  const auto [a, b] = Options{}.flip ? make_int2(1, 2) : make_int2(3, 4);
  out[3] = sum + a + b;
}

CASE(template_lambdas_initialisers_and_bindings) {
  Buffer<int> out(4);
  template_lambda<<<1, 1>>>(out.ptr());
  const int want[4] = {403, 804, 9, 37};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

template <auto Value>
struct Constant {
  static constexpr auto value = Value;
};

consteval int squared(int n) {
  return n * n;
}

__global__ void evaluated(int* out) {
  constexpr int side = squared(6);
  out[0] = Constant<side>::value + Constant<'a'>::value;
}

CASE(auto_template_parameters_and_consteval) {
  Buffer<int> out(1);
  evaluated<<<1, 1>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t) { return 36 + 97; });
}
