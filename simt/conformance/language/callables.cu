// Lambdas, functors, function pointers, recursion, overloads and default arguments on the device.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void lambdas(int* out) {
  const int base = threadIdx.x * 10;
  auto add = [=](int n) { return base + n; };
  auto twice = [](auto f, int n) { return f(n) + f(n + 1); };
  int calls = 0;
  auto counted = [&calls, add](int n) mutable {
    ++calls;
    return add(n);
  };
  const int sum = twice(counted, 3) + twice([](int n) { return n * n; }, 2);
  out[threadIdx.x] = sum + 1000 * calls;
}

CASE(lambdas_in_a_kernel) {
  Buffer<int> out(32);
  lambdas<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 20 * static_cast<int>(i) + 7 + 2000 + 13; });
}

template <class Function>
__global__ void transform(const float* in, float* out, int n, Function function) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = function(in[i]);
}

struct Affine {
  float slope, offset;
  __host__ __device__ float operator()(float x) const { return slope * x + offset; }
};

template <class First, class Second>
struct Composed {
  First first;
  Second second;
  __host__ __device__ float operator()(float x) const { return second(first(x)); }
};

CASE(functors_passed_by_value) {
  Buffer<float> in(conformance::sequence<float>(100)), out(100);
  transform<<<2, 64>>>(in.ptr(), out.ptr(), 100,
                       Composed<Affine, Affine>{{2.0f, 1.0f}, {-1.0f, 0.5f}});
  EXPECT_EACH(out, [](std::size_t i) { return -(2.0f * static_cast<float>(i) + 1.0f) + 0.5f; });
}

__device__ int plus(int a, int b) {
  return a + b;
}
__device__ int minus(int a, int b) {
  return a - b;
}
__device__ int times(int a, int b) {
  return a * b;
}

using Binary = int (*)(int, int);

__global__ void through_pointers(int* out) {
  const Binary table[3] = {plus, minus, times};
  const int t = threadIdx.x;
  Binary chosen = table[t % 3];
  if (t == 30) chosen = &minus;
  out[t] = chosen(t, 5);
}

CASE(function_pointers_in_a_table) {
  Buffer<int> out(32);
  through_pointers<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int t = static_cast<int>(i);
    if (t == 30 || t % 3 == 1) return t - 5;
    return t % 3 == 0 ? t + 5 : t * 5;
  });
}

__device__ Binary device_pointer = times;

__global__ void through_given_pointer(int* out, Binary operation) {
  out[threadIdx.x] = operation(threadIdx.x, 3);
}

// The address of a device function is read from a device variable: the host cannot take it.
CASE(function_pointer_handed_over_by_the_host) {
  Binary operation = nullptr;
  EXPECT_OK(cudaMemcpyFromSymbol(&operation, device_pointer, sizeof operation));
  Buffer<int> out(32);
  through_given_pointer<<<1, 32>>>(out.ptr(), operation);
  EXPECT_EACH(out, [](std::size_t i) { return 3 * static_cast<int>(i); });
}

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ bool is_odd(int n);
__device__ bool is_even(int n) {
  return n == 0 || is_odd(n - 1);
}
__device__ bool is_odd(int n) {
  return n != 0 && is_even(n - 1);
}

__global__ void recursive(int* out) {
  out[threadIdx.x] = ackermann(2, threadIdx.x % 5) * 10 + (is_even(threadIdx.x) ? 1 : 0);
}

CASE(recursion_direct_and_mutual) {
  // The compiler cannot know how deep a recursion goes: the stack is for the program to size.
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
  Buffer<int> out(40);
  recursive<<<1, 40>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    return (2 * static_cast<int>(i % 5) + 3) * 10 + (i % 2 == 0 ? 1 : 0);
  });
}

__device__ int kind(int) {
  return 1;
}
__device__ int kind(float) {
  return 2;
}
__device__ int kind(double) {
  return 3;
}
__device__ int kind(const char*) {
  return 4;
}
__device__ int with_defaults(int a, int b = 20, int c = 300) {
  return a + b + c;
}

__global__ void overloaded(int* out) {
  out[0] = kind(1.0f);
  out[1] = kind(1.0);
  out[2] = kind("text");
  out[3] = with_defaults(1);
  out[4] = with_defaults(1, 2);
  out[5] = with_defaults(1, 2, 3);
}

CASE(overloads_and_default_arguments) {
  Buffer<int> out(6);
  overloaded<<<1, 1>>>(out.ptr());
  const int want[6] = {2, 3, 4, 321, 303, 6};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

__host__ __device__ double both_sides(double x) {
#ifdef __CUDA_ARCH__
  return x * 2 + (__CUDA_ARCH__ >= 700 ? 1 : 0);
#else
  return x * 2 + 1;
#endif
}

__global__ void on_the_device(double* out) {
  out[threadIdx.x] = both_sides(threadIdx.x);
}

CASE(host_and_device_function) {
  Buffer<double> out(32);
  on_the_device<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return both_sides(static_cast<double>(i)); });
}

template <class Function>
__device__ void for_each_neighbour(int at, int n, Function&& visit) {
  if (at > 0) visit(at - 1);
  if (at + 1 < n) visit(at + 1);
}

__global__ void visit_neighbours(const int* in, int* out, int n) {
  const int i = threadIdx.x;
  int sum = 0, visits = 0;
  for_each_neighbour(i, n, [&](int other) {
    sum += in[other];
    ++visits;
  });
  out[i] = sum * 10 + visits;
}

CASE(lambda_captures_by_reference) {
  Buffer<int> in(conformance::sequence<int>(50)), out(50);
  visit_neighbours<<<1, 50>>>(in.ptr(), out.ptr(), 50);
  EXPECT_EACH(out, [](std::size_t i) {
    if (i == 0) return 11;
    return i == 49 ? 481 : static_cast<int>(2 * i) * 10 + 2;
  });
}

struct Accumulator {
  int total = 0;
  __device__ Accumulator& add(int n) {
    total += n;
    return *this;
  }
  __device__ int result() const { return total; }
};

__global__ void member_pointers(int* out) {
  Accumulator accumulator;
  Accumulator& (Accumulator::*step)(int) = &Accumulator::add;
  (accumulator.*step)(5).add(threadIdx.x).add(1);
  int Accumulator::* field = &Accumulator::total;
  accumulator.*field += 100;
  out[threadIdx.x] = accumulator.result();
}

CASE(pointers_to_members) {
  Buffer<int> out(16);
  member_pointers<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 106 + static_cast<int>(i); });
}

__noinline__ __device__ int not_inlined(int a) {
  return a * 3;
}
__forceinline__ __device__ int inlined(int a) {
  return a + 4;
}
static inline __device__ int static_inline(int a) {
  return a - 1;
}

__global__ void inlining(int* out) {
  out[threadIdx.x] = static_inline(inlined(not_inlined(threadIdx.x)));
}

CASE(inlining_attributes) {
  Buffer<int> out(8);
  inlining<<<1, 8>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(3 * i + 3); });
}
