// Loads and stores with cache hints, for every type that has them, and restrict pointers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

template <class T>
__global__ void read_only(const T* in, T* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = __ldg(&in[n - 1 - i]);
}

template <class T>
static std::vector<T> bytes(int n) {
  std::vector<T> values(n);
  auto* raw = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < n * sizeof(T); ++i) raw[i] = static_cast<unsigned char>(i * 7 + 1);
  return values;
}

template <class T>
static void expect_reversed(const Buffer<T>& out, const std::vector<T>& values) {
  const std::vector<T> got = out.host();
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(std::memcmp(&got[i], &values[got.size() - 1 - i], sizeof(T)), 0);
  }
}

template <class T>
static void check_ldg() {
  const std::vector<T> values = bytes<T>(50);
  Buffer<T> in(values), out(50);
  read_only<<<1, 64>>>(in.ptr(), out.ptr(), 50);
  expect_reversed(out, values);
}

CASE(ldg_of_scalars) {
  check_ldg<char>();
  check_ldg<signed char>();
  check_ldg<unsigned char>();
  check_ldg<short>();
  check_ldg<unsigned short>();
  check_ldg<int>();
  check_ldg<unsigned>();
  check_ldg<long long>();
  check_ldg<unsigned long long>();
  check_ldg<float>();
  check_ldg<double>();
  check_ldg<__half>();
  check_ldg<__nv_bfloat16>();
}

CASE(ldg_of_vectors) {
  check_ldg<char2>();
  check_ldg<uchar4>();
  check_ldg<short4>();
  check_ldg<int2>();
  check_ldg<int4>();
  check_ldg<uint4>();
  check_ldg<float2>();
  check_ldg<float4>();
  check_ldg<double2>();
  check_ldg<longlong2>();
  check_ldg<__half2>();
  check_ldg<__nv_bfloat162>();
}

template <class T>
__global__ void hinted(const T* in, T* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const T* const from = &in[n - 1 - i];
  T value = __ldca(from);
  if (i % 5 == 1) value = __ldcg(from);
  if (i % 5 == 2) value = __ldcs(from);
  if (i % 5 == 3) value = __ldlu(from);
  if (i % 5 == 4) value = __ldcv(from);
  if (i % 4 == 0) __stwb(&out[i], value);
  if (i % 4 == 1) __stcg(&out[i], value);
  if (i % 4 == 2) __stcs(&out[i], value);
  if (i % 4 == 3) __stwt(&out[i], value);
}

template <class T>
static void check_hinted() {
  const std::vector<T> values = bytes<T>(60);
  Buffer<T> in(values), out(60);
  hinted<<<1, 64>>>(in.ptr(), out.ptr(), 60);
  expect_reversed(out, values);
}

CASE(cache_hints_on_loads_and_stores) {
  check_hinted<unsigned char>();
  check_hinted<short>();
  check_hinted<int>();
  check_hinted<unsigned>();
  check_hinted<long long>();
  check_hinted<float>();
  check_hinted<double>();
  check_hinted<int4>();
  check_hinted<float2>();
  check_hinted<float4>();
  check_hinted<double2>();
  check_hinted<__half>();
  check_hinted<__half2>();
}

__global__ void restricted(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + 2.0f * b[n - 1 - i];
}

CASE(restrict_pointers) {
  Buffer<float> a(conformance::sequence<float>(300)), b(conformance::sequence<float>(300, 0, 2));
  Buffer<float> out(300);
  restricted<<<3, 100>>>(a.ptr(), b.ptr(), out.ptr(), 300);
  EXPECT_EACH(out, [](std::size_t i) {
    return static_cast<float>(i) + 4.0f * (299.0f - static_cast<float>(i));
  });
}

__global__ void unaligned_by_bytes(const unsigned char* in, unsigned* out, int offset) {
  const int i = threadIdx.x;
  unsigned word;
  memcpy(&word, in + offset + 4 * i, sizeof word);
  out[i] = word;
}

CASE(memcpy_in_a_kernel_reads_any_alignment) {
  const std::vector<unsigned char> values = bytes<unsigned char>(200);
  Buffer<unsigned char> in(values);
  Buffer<unsigned> out(40);
  for (const int offset : {0, 1, 2, 3}) {
    unaligned_by_bytes<<<1, 40>>>(in.ptr(), out.ptr(), offset);
    EXPECT_EACH(out, [&](std::size_t i) {
      unsigned word = 0;
      for (int b = 3; b >= 0; --b) word = word << 8 | values[offset + 4 * i + b];
      return word;
    });
  }
}

__global__ void clear_and_fill(unsigned char* out) {
  unsigned char local[16];
  memset(local, 7, sizeof local);
  local[3] = static_cast<unsigned char>(threadIdx.x);
  memcpy(out + 16 * threadIdx.x, local, sizeof local);
}

CASE(memset_and_memcpy_on_local_memory) {
  Buffer<unsigned char> out(16 * 20);
  clear_and_fill<<<1, 20>>>(out.ptr());
  EXPECT_EACH(out,
              [](std::size_t i) { return static_cast<unsigned char>(i % 16 == 3 ? i / 16 : 7); });
}
