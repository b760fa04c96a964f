// Templates of kernels and device functions, and what is computed while compiling.
#include "../conformance.hpp"

using conformance::Buffer;

template <class T>
__global__ void scale(T* data, T factor) {
  data[threadIdx.x] = static_cast<T>(data[threadIdx.x] * factor);
}

CASE(kernel_template_over_a_type) {
  Buffer<int> ints(conformance::sequence<int>(32));
  Buffer<double> doubles(conformance::sequence<double>(32));
  scale<<<1, 32>>>(ints.ptr(), 3);
  scale<double><<<1, 32>>>(doubles.ptr(), 0.5);
  EXPECT_EACH(ints, [](std::size_t i) { return 3 * static_cast<int>(i); });
  EXPECT_EACH(doubles, [](std::size_t i) { return 0.5 * static_cast<double>(i); });
}

template <int Rows, int Columns, bool Transposed = false>
__global__ void index_matrix(int* out) {
  if constexpr (Transposed) {
    out[threadIdx.x * Rows + threadIdx.y] = threadIdx.y * 100 + threadIdx.x;
  } else {
    out[threadIdx.y * Columns + threadIdx.x] = threadIdx.y * 100 + threadIdx.x;
  }
}

CASE(kernel_template_over_values_and_expressions) {
  constexpr int kRows = 3;
  Buffer<int> plain(12), transposed(12);
  index_matrix<kRows, 2 * 2><<<1, dim3(4, 3)>>>(plain.ptr());
  index_matrix<kRows, (8 > 4 ? 4 : 2), !false><<<1, dim3(4, 3)>>>(transposed.ptr());
  EXPECT_EACH(plain, [](std::size_t i) { return static_cast<int>(i / 4 * 100 + i % 4); });
  EXPECT_EACH(transposed, [](std::size_t i) { return static_cast<int>(i % 3 * 100 + i / 3); });
}

template <class T>
struct Operation {
  static __device__ T run(T a) { return a + 1; }
};
template <>
struct Operation<float> {
  static __device__ float run(float a) { return a * 10; }
};
template <class T>
struct Operation<T*> {
  static __device__ T run(T* a) { return *a + 1000; }
};

template <class T>
__global__ void run_operations(T* out, T* cell) {
  out[0] = Operation<T>::run(5);
  out[1] = Operation<T*>::run(cell);
}

CASE(full_and_partial_specialisation) {
  Buffer<int> ints(2), cell(1, 7);
  Buffer<float> floats(2), float_cell(1, 8.0f);
  run_operations<<<1, 1>>>(ints.ptr(), cell.ptr());
  run_operations<<<1, 1>>>(floats.ptr(), float_cell.ptr());
  EXPECT_EACH(ints, [](std::size_t i) { return i == 0 ? 6 : 1007; });
  EXPECT_EACH(floats, [](std::size_t i) { return i == 0 ? 50.0f : 1008.0f; });
}

template <class... Ts>
__device__ double sum_all(Ts... values) {
  return (0.0 + ... + static_cast<double>(values));
}

template <class... Ts>
__global__ void variadic_kernel(double* out, Ts... values) {
  out[threadIdx.x] = sum_all(values...) + static_cast<double>(sizeof...(Ts)) * threadIdx.x;
}

CASE(variadic_kernel_and_fold_expression) {
  Buffer<double> none(8), many(8);
  variadic_kernel<<<1, 8>>>(none.ptr());
  variadic_kernel<<<1, 8>>>(many.ptr(), 1, 2.5f, 3.25, static_cast<char>(4), 5ull);
  EXPECT_EACH(none, [](std::size_t) { return 0.0; });
  EXPECT_EACH(many, [](std::size_t i) { return 15.75 + 5.0 * static_cast<double>(i); });
}

template <int N>
struct Factorial {
  static constexpr long long value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr long long value = 1;
};

__host__ __device__ constexpr int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ constexpr int triangle(int n) {
  return n * (n + 1) / 2;
}

struct Table {
  int entries[16];
};

__host__ __device__ constexpr Table make_table() {
  Table table{};
  for (int i = 0; i < 16; ++i) table.entries[i] = i * i * i;
  return table;
}

__global__ void computed_while_compiling(long long* out) {
  constexpr Table table = make_table();
  constexpr int folded = fibonacci(15);
  static_assert(folded == 610, "evaluated by the compiler");
  __shared__ int sized[triangle(7)];
  const int t = threadIdx.x;
  if (t < triangle(7)) sized[t] = t;
  __syncthreads();
  out[t] = table.entries[t % 16] + Factorial<10>::value + folded + sized[t % 28] + triangle(t);
}

CASE(constexpr_functions_tables_and_sizes) {
  Buffer<long long> out(32);
  computed_while_compiling<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const long long t = static_cast<long long>(i), entry = t % 16;
    return entry * entry * entry + 3628800 + 610 + t % 28 + t * (t + 1) / 2;
  });
}

template <template <class> class Wrapper, class T>
__global__ void with_wrapper(T* out) {
  Wrapper<T> wrapper{static_cast<T>(threadIdx.x)};
  out[threadIdx.x] = wrapper.get();
}

template <class T>
struct Doubled {
  T value;
  __device__ T get() const { return value + value; }
};
template <class T>
struct Squared {
  T value;
  __device__ T get() const { return value * value; }
};

CASE(template_template_parameter) {
  Buffer<int> doubled(16), squared(16);
  with_wrapper<Doubled><<<1, 16>>>(doubled.ptr());
  with_wrapper<Squared, int><<<1, 16>>>(squared.ptr());
  EXPECT_EACH(doubled, [](std::size_t i) { return static_cast<int>(2 * i); });
  EXPECT_EACH(squared, [](std::size_t i) { return static_cast<int>(i * i); });
}

// Host templates that launch kernel templates.
template <int Block>
struct Launcher {
  template <class T>
  static void fill(T* data, int n, T value);
};

template <int Block, class T>
__global__ void fill_kernel(T* data, int n, T value) {
  const int i = blockIdx.x * Block + threadIdx.x;
  if (i < n) data[i] = static_cast<T>(value + i);
}

template <int Block>
template <class T>
void Launcher<Block>::fill(T* data, int n, T value) {
  fill_kernel<Block, T><<<(n + Block - 1) / Block, Block>>>(data, n, value);
}

CASE(launch_from_a_host_template) {
  Buffer<float> floats(100);
  Buffer<unsigned char> bytes(60);
  Launcher<32>::fill(floats.ptr(), 100, 0.5f);
  Launcher<64>::fill<unsigned char>(bytes.ptr(), 60, 10);
  EXPECT_EACH(floats, [](std::size_t i) { return 0.5f + static_cast<float>(i); });
  EXPECT_EACH(bytes, [](std::size_t i) { return static_cast<unsigned char>(10 + i); });
}

template <class T>
__device__ auto halve(T value) -> std::enable_if_t<std::is_integral<T>::value, T> {
  return value >> 1;
}
template <class T>
__device__ auto halve(T value) -> std::enable_if_t<std::is_floating_point<T>::value, T> {
  return value / 2;
}

__global__ void chosen_by_traits(double* out) {
  out[0] = halve(7);
  out[1] = halve(7.0);
  out[2] = halve(9ull);
  out[3] = halve(9.0f);
}

CASE(overloads_chosen_by_type_traits) {
  Buffer<double> out(4);
  chosen_by_traits<<<1, 1>>>(out.ptr());
  const double want[4] = {3, 3.5, 4, 4.5};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

template <unsigned Width>
__device__ int unrolled_sum(const int* values) {
  int sum = 0;
#pragma unroll
  for (unsigned i = 0; i < Width; ++i) sum += values[i];
  return sum;
}

template <unsigned... Widths>
__global__ void several_widths(const int* in, int* out) {
  int at = 0;
  ((out[at++] = unrolled_sum<Widths>(in)), ...);
}

CASE(pack_of_values) {
  Buffer<int> in(conformance::sequence<int>(64)), out(4);
  several_widths<1, 4, 16, 64><<<1, 1>>>(in.ptr(), out.ptr());
  const int want[4] = {0, 6, 120, 2016};
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}
