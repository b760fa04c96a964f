// __constant__, __device__ and __managed__ variables, the calls that reach them from the host,
// and arrays local to a thread.
#include "../conformance.hpp"

using conformance::Buffer;

__constant__ float scale = 2.5f;
__constant__ int table[16];
__constant__ int squares_to_five[2][3] = {{0, 1, 4}, {9, 16, 25}};

struct Settings {
  int offset;
  double factor;
  short steps[4];
};
__constant__ Settings settings;

__global__ void read_constants(float* out) {
  const int t = threadIdx.x;
  out[t] = scale * table[t % 16] + squares_to_five[t % 2][t % 3];
}

CASE(constant_arrays_and_initial_values) {
  int values[16];
  for (int i = 0; i < 16; ++i) values[i] = 10 * i;
  EXPECT_OK(cudaMemcpyToSymbol(table, values, sizeof values));
  Buffer<float> out(96);
  read_constants<<<1, 96>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int t = static_cast<int>(i), root = 3 * (t % 2) + t % 3;
    return 25.0f * static_cast<float>(t % 16) + static_cast<float>(root * root);
  });
}

CASE(copy_to_part_of_a_constant_array) {
  const std::vector<int> zeros(16, 0);
  EXPECT_OK(cudaMemcpyToSymbol(table, zeros.data(), 16 * sizeof(int)));
  const int middle[4] = {7, 8, 9, 10};
  EXPECT_OK(cudaMemcpyToSymbol(table, middle, sizeof middle, 5 * sizeof(int)));
  Buffer<float> out(16);
  read_constants<<<1, 16>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int t = static_cast<int>(i), root = 3 * (t % 2) + t % 3;
    const int entry = t >= 5 && t < 9 ? t + 2 : 0;
    return 2.5f * static_cast<float>(entry) + static_cast<float>(root * root);
  });
}

__global__ void use_settings(double* out) {
  const int t = threadIdx.x;
  out[t] = settings.offset + settings.factor * settings.steps[t % 4];
}

CASE(constant_struct) {
  const Settings chosen{42, 1.5, {1, -2, 3, -4}};
  EXPECT_OK(cudaMemcpyToSymbol(settings, &chosen, sizeof chosen));
  Buffer<double> out(64);
  use_settings<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) { return 42 + 1.5 * chosen.steps[i % 4]; });
}

__device__ int counter = 5;
__device__ unsigned long long totals[8];

__global__ void bump() {
  atomicAdd(&counter, 1);
  atomicAdd(&totals[threadIdx.x % 8], static_cast<unsigned long long>(threadIdx.x));
}

CASE(device_variables_keep_their_value_between_launches) {
  const std::vector<unsigned long long> zeros(8, 0);
  EXPECT_OK(cudaMemcpyToSymbol(totals, zeros.data(), sizeof totals));
  bump<<<2, 64>>>();
  bump<<<1, 64>>>();
  int count = 0;
  EXPECT_OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  EXPECT_EQ(count, 5 + 192);
  std::vector<unsigned long long> sums(8);
  EXPECT_OK(cudaMemcpyFromSymbol(sums.data(), totals, sizeof totals));
  EXPECT_EACH(sums, [](std::size_t i) { return 3ull * (8 * i + 8 * 28); });
}

CASE(copy_from_part_of_a_device_array) {
  std::vector<unsigned long long> values{1, 2, 3, 4, 5, 6, 7, 8}, got(3);
  EXPECT_OK(cudaMemcpyToSymbol(totals, values.data(), sizeof totals));
  EXPECT_OK(cudaMemcpyFromSymbol(got.data(), totals, 3 * 8, 4 * 8));
  EXPECT_EACH(got, [](std::size_t i) { return static_cast<unsigned long long>(i + 5); });
  bump<<<1, 8>>>();
  EXPECT_OK(cudaMemcpyFromSymbol(values.data(), totals, sizeof totals));
  EXPECT_EACH(values, [](std::size_t i) { return static_cast<unsigned long long>(2 * i + 1); });
}

__device__ float samples[100];

__global__ void square_in_place(float* data) {
  data[threadIdx.x] *= data[threadIdx.x];
}
__global__ void copy_samples(float* out) {
  out[threadIdx.x] = samples[threadIdx.x];
}

CASE(symbol_address_and_size) {
  std::size_t bytes = 0;
  EXPECT_OK(cudaGetSymbolSize(&bytes, samples));
  EXPECT_EQ(bytes, sizeof(float) * 100);
  void* address = nullptr;
  EXPECT_OK(cudaGetSymbolAddress(&address, samples));
  const std::vector<float> values = conformance::sequence<float>(100);
  EXPECT_OK(cudaMemcpy(address, values.data(), bytes, cudaMemcpyHostToDevice));
  square_in_place<<<1, 100>>>(static_cast<float*>(address));
  Buffer<float> out(100);
  copy_samples<<<1, 100>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<float>(i * i); });
}

__device__ int* where_to_write;

__global__ void write_through_global_pointer() {
  where_to_write[threadIdx.x] = 7 * threadIdx.x;
}

CASE(pointer_kept_in_a_device_variable) {
  Buffer<int> out(64);
  int* const target = out.ptr();
  EXPECT_OK(cudaMemcpyToSymbol(where_to_write, &target, sizeof target));
  write_through_global_pointer<<<1, 64>>>();
  EXPECT_EACH(out, [](std::size_t i) { return 7 * static_cast<int>(i); });
}

__managed__ int managed_value = 11;
__managed__ int managed_array[32];

__global__ void use_managed() {
  managed_array[threadIdx.x] = managed_value * threadIdx.x;
}

CASE(managed_variables_are_read_by_the_host) {
  EXPECT_EQ(managed_value, 11);
  managed_value = 13;
  use_managed<<<1, 32>>>();
  SYNCHRONISE();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(managed_array[i], 13 * i);
}

__global__ void local_arrays(unsigned* out, const int* order) {
  unsigned local[24];
  for (int i = 0; i < 24; ++i) local[i] = i * i + threadIdx.x;
  // Indices known only at run time keep the array in memory instead of registers.
  unsigned sum = 0;
  for (int i = 0; i < 24; ++i) sum = 3 * sum + local[order[(i + threadIdx.x) % 24]];
  out[threadIdx.x] = sum;
}

CASE(local_arrays_are_private_to_a_thread) {
  std::vector<int> order(24);
  for (int i = 0; i < 24; ++i) order[i] = (i * 7) % 24;
  Buffer<int> device_order(order);
  Buffer<unsigned> out(64);
  local_arrays<<<1, 64>>>(out.ptr(), device_order.ptr());
  EXPECT_EACH(out, [&](std::size_t t) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < 24; ++i) {
      const int at = order[(i + t) % 24];
      sum = 3 * sum + static_cast<unsigned>(at * at) + static_cast<unsigned>(t);
    }
    return sum;
  });
}

static __device__ const double kWeights[4] = {0.5, 0.25, 0.125, 0.0625};

__global__ void read_const_table(double* out) {
  out[threadIdx.x] = kWeights[threadIdx.x % 4];
}

CASE(static_const_device_table) {
  Buffer<double> out(32);
  read_const_table<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return std::ldexp(0.5, -static_cast<int>(i % 4)); });
}
