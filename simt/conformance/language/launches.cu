// The many ways a kernel is declared and launched in real sources.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void declared_first(int* out, int value);

static void launch_declared(int* out) {
  declared_first<<<1, 16>>>(out, 4);
}

__global__ void declared_first(int* out, int value) {
  out[threadIdx.x] = value + threadIdx.x;
}

CASE(kernel_launched_before_its_definition) {
  Buffer<int> out(16);
  launch_declared(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 4 + static_cast<int>(i); });
}

extern "C" __global__ void c_linkage(int* out) {
  out[threadIdx.x] = 11;
}

extern "C" {
__global__ void c_linkage_block(int* out) {
  out[threadIdx.x] = 22;
}
}

static __global__ void internal_linkage(int* out) {
  out[threadIdx.x] = 33;
}

CASE(linkages) {
  Buffer<int> a(8), b(8), c(8);
  c_linkage<<<1, 8>>>(a.ptr());
  c_linkage_block<<<1, 8>>>(b.ptr());
  internal_linkage<<<1, 8>>>(c.ptr());
  EXPECT_EACH(a, [](std::size_t) { return 11; });
  EXPECT_EACH(b, [](std::size_t) { return 22; });
  EXPECT_EACH(c, [](std::size_t) { return 33; });
}

__global__ void __launch_bounds__(128) bounded(int* out) {
  out[threadIdx.x] = blockDim.x;
}
__launch_bounds__(256, 2) __global__ void bounded_in_front(int* out) {
  out[threadIdx.x] = 2 * blockDim.x;
}
__global__ __launch_bounds__(64, 1) void bounded_between(int* out) {
  out[threadIdx.x] = 3 * blockDim.x;
}

CASE(launch_bounds_in_every_place) {
  Buffer<int> a(128), b(256), c(64);
  bounded<<<1, 128>>>(a.ptr());
  bounded_in_front<<<1, 256>>>(b.ptr());
  bounded_between<<<1, 64>>>(c.ptr());
  EXPECT_EACH(a, [](std::size_t) { return 128; });
  EXPECT_EACH(b, [](std::size_t) { return 512; });
  EXPECT_EACH(c, [](std::size_t) { return 192; });
}

__global__ void overloaded(int* out, int value) {
  out[threadIdx.x] = value;
}
__global__ void overloaded(int* out, float value) {
  out[threadIdx.x] = static_cast<int>(10 * value);
}

CASE(overloaded_kernels) {
  Buffer<int> ints(4), floats(4);
  overloaded<<<1, 4>>>(ints.ptr(), 5);
  overloaded<<<1, 4>>>(floats.ptr(), 2.5f);
  EXPECT_EACH(ints, [](std::size_t) { return 5; });
  EXPECT_EACH(floats, [](std::size_t) { return 25; });
}

__global__ void add_to(int* out, int value) {
  out[threadIdx.x] += value;
}
__global__ void multiply_by(int* out, int value) {
  out[threadIdx.x] *= value;
}

CASE(launch_through_a_pointer) {
  Buffer<int> out(conformance::sequence<int>(32));
  void (*kernels[2])(int*, int) = {add_to, &multiply_by};
  for (int round = 0; round < 4; ++round) kernels[round % 2]<<<1, 32>>>(out.ptr(), 3);
  EXPECT_EACH(out, [](std::size_t i) { return ((static_cast<int>(i) + 3) * 3 + 3) * 3; });
}

#define LAUNCH(kernel, blocks, threads, ...) kernel<<<(blocks), (threads)>>>(__VA_ARGS__)

CASE(launch_from_a_macro) {
  Buffer<int> out(16, 1);
  LAUNCH(add_to, 1, 16, out.ptr(), 6);
  EXPECT_EACH(out, [](std::size_t) { return 7; });
}

static int blocks_for(int n, int threads) {
  return (n + threads - 1) / threads;
}

__global__ void write_config(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = gridDim.x * 1000 + blockDim.x;
}

CASE(expressions_in_the_configuration) {
  constexpr int n = 130;
  Buffer<int> a(n), b(n), c(n);
  const int threads[2] = {32, 64};
  write_config<<<blocks_for(n, threads[1]), threads[1]>>>(a.ptr(), n);
  write_config<<<dim3((n + 31) >> 5, 1, 1), dim3{static_cast<unsigned>(threads[n > 1 ? 0 : 1])},
                 0>>>(b.ptr(), n);
  // clang-format off
  write_config /* a comment */<<<  // and another, over several lines
      n > 100 ? 2 : 1,
      128,
      sizeof(int) * (n >> 1),
      nullptr
  >>>(c.ptr(), n);
  // clang-format on
  EXPECT_EACH(a, [](std::size_t) { return 3064; });
  EXPECT_EACH(b, [](std::size_t) { return 5032; });
  EXPECT_EACH(c, [](std::size_t) { return 2128; });
}

CASE(launches_inside_other_statements) {
  Buffer<int> out(16, 0);
  if (out.size() == 16)
    add_to<<<1, 16>>>(out.ptr(), 1);
  else
    add_to<<<1, 16>>>(out.ptr(), 1000);
  for (int i = 0; i < 3; ++i) add_to<<<1, 16>>>(out.ptr(), 10);
  auto later = [&](int value) { add_to<<<1, 16>>>(out.ptr(), value); };
  later(100), later(100);
  const char* text = "not a launch: kernel<<<1, 2>>>(x);";  // nor here: kernel<<<1, 2>>>(x);
  EXPECT_EQ(std::strlen(text), 34u);
  EXPECT_EQ(1 << 2 << 1, 8);
  EXPECT_EACH(out, [](std::size_t) { return 231; });
}

struct Runner {
  int* out;
  void operator()(int value) const { add_to<<<1, 8>>>(out, value); }
  static void reset(int* data) { multiply_by<<<1, 8>>>(data, 0); }
};

CASE(launches_from_member_functions) {
  Buffer<int> out(8, 99);
  Runner::reset(out.ptr());
  Runner{out.ptr()}(17);
  EXPECT_EACH(out, [](std::size_t) { return 17; });
}

__global__ void many_arguments(double* out, char a, short b, int c, long long d, float e, double f,
                               bool g, unsigned char h, float4 i, const int* j, int2 k) {
  out[0] = a + b + c + static_cast<double>(d) + e + f + (g ? 1 : 0) + h + i.w + j[1] + k.y;
}

CASE(arguments_of_every_size) {
  Buffer<double> out(1);
  Buffer<int> list(std::vector<int>{1, 2, 3});
  many_arguments<<<1, 1>>>(out.ptr(), 'A', -7, 1 << 20, 1ll << 40, 0.5f, 0.25, true, 200,
                           make_float4(1, 2, 3, 4), list.ptr(), make_int2(5, 6));
  EXPECT_EACH(out, [](std::size_t) {
    return 65.0 - 7 + 1048576 + 1099511627776.0 + 0.5 + 0.25 + 1 + 200 + 4 + 2 + 6;
  });
}

CASE(launch_by_runtime_call) {
  Buffer<int> out(conformance::sequence<int>(32));
  int* data = out.ptr();
  int value = 40;
  void* arguments[] = {&data, &value};
  EXPECT_OK(cudaLaunchKernel(reinterpret_cast<const void*>(add_to), dim3(1), dim3(32), arguments, 0,
                             nullptr));
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i) + 40; });
}

template <class T>
__global__ void add_twice(T* data, T value) {
  data[threadIdx.x] += 2 * value;
}
template <class T>
void launch_instance(T* data, T value) {
  void* arguments[] = {&data, &value};
  auto kernel = add_twice<T>;
  EXPECT_OK(cudaLaunchKernel((void*)add_twice<T>, dim3(1), dim3(32), arguments, 0, nullptr));
  EXPECT_OK(cudaLaunchKernel((const void*)kernel, dim3(1), dim3(32), arguments, 0, nullptr));
  EXPECT_OK(cudaLaunchKernel(reinterpret_cast<void*>(&add_twice<T>), dim3(1), dim3(32), arguments));
}

CASE(launch_of_an_instance_by_runtime_call) {
  Buffer<int> out(conformance::sequence<int>(32));
  launch_instance(out.ptr(), 5);
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i) + 30; });
}

CASE(launch_by_configuration_object) {
  Buffer<int> out(32, 2);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  EXPECT_OK(cudaLaunchKernelEx(&config, multiply_by, out.ptr(), 21));
  EXPECT_EACH(out, [](std::size_t) { return 42; });
}

__global__ void empty() {}

CASE(kernel_without_arguments_or_body) {
  empty<<<3, 5>>>();
  EXPECT_OK(cudaGetLastError());
  EXPECT_OK(cudaDeviceSynchronize());
}
