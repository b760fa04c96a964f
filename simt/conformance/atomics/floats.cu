// Atomic additions on floating-point types. All sums are of small integers, so that they are
// exact in every order and in every one of the formats.
#include <algorithm>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kCells = 3;

template <class T>
__global__ void add_ones(T* cells) {
  atomicAdd(&cells[threadIdx.x % kCells], static_cast<T>(1));
}

CASE(float_and_double) {
  Buffer<float> floats(kCells, 0.0f);
  Buffer<double> doubles(kCells, 0.5);
  add_ones<<<10, 99>>>(floats.ptr());
  add_ones<<<10, 99>>>(doubles.ptr());
  EXPECT_EACH(floats, [](std::size_t) { return 330.0f; });
  EXPECT_EACH(doubles, [](std::size_t) { return 330.5; });
}

template <class T>
__global__ void add_and_keep_old(T* cell, T* old) {
  old[threadIdx.x] = atomicAdd(cell, static_cast<T>(0.5));
}

template <class T>
static void check_old() {
  Buffer<T> cell(1, T{0}), old(128);
  add_and_keep_old<<<1, 128>>>(cell.ptr(), old.ptr());
  std::vector<T> steps = old.host();
  std::sort(steps.begin(), steps.end());
  EXPECT_EACH(steps, [](std::size_t i) { return static_cast<T>(0.5 * static_cast<double>(i)); });
}

CASE(old_values_are_all_different) {
  check_old<float>();
  check_old<double>();
}

__global__ void add_halves(__half* halves, __nv_bfloat16* bfloats) {
  atomicAdd(&halves[threadIdx.x % kCells], __float2half(1.0f));
  atomicAdd(&bfloats[threadIdx.x % kCells], __float2bfloat16(1.0f));
}

// Neighbouring 16-bit cells share a 32-bit word: none may lose an addition to its neighbour.
CASE(half_and_bfloat16) {
  Buffer<__half> halves(std::vector<__half>(kCells, __float2half(0.0f)));
  Buffer<__nv_bfloat16> bfloats(std::vector<__nv_bfloat16>(kCells, __float2bfloat16(0.0f)));
  add_halves<<<2, 99>>>(halves.ptr(), bfloats.ptr());
  for (const __half value : halves.host()) EXPECT_EQ(__half2float(value), 66.0f);
  for (const __nv_bfloat16 value : bfloats.host()) EXPECT_EQ(__bfloat162float(value), 66.0f);
}

__global__ void add_pairs(__half2* halves, __nv_bfloat162* bfloats) {
  atomicAdd(&halves[threadIdx.x % kCells], __floats2half2_rn(1.0f, 2.0f));
  atomicAdd(&bfloats[threadIdx.x % kCells], __floats2bfloat162_rn(2.0f, -1.0f));
}

CASE(half2_and_bfloat162) {
  Buffer<__half2> halves(std::vector<__half2>(kCells, __floats2half2_rn(0.0f, 10.0f)));
  Buffer<__nv_bfloat162> bfloats(
      std::vector<__nv_bfloat162>(kCells, __floats2bfloat162_rn(0.0f, 0.0f)));
  add_pairs<<<2, 99>>>(halves.ptr(), bfloats.ptr());
  for (const __half2 pair : halves.host()) {
    EXPECT_EQ(__low2float(pair), 66.0f);
    EXPECT_EQ(__high2float(pair), 142.0f);
  }
  for (const __nv_bfloat162 pair : bfloats.host()) {
    EXPECT_EQ(__low2float(pair), 132.0f);
    EXPECT_EQ(__high2float(pair), -66.0f);
  }
}

__global__ void add_vectors(float2* pairs, float4* quads) {
  atomicAdd(&pairs[threadIdx.x % kCells], make_float2(1.0f, 0.25f));
  atomicAdd(&quads[threadIdx.x % kCells], make_float4(1.0f, 2.0f, 3.0f, 4.0f));
}

CASE(float2_and_float4) {
  Buffer<float2> pairs(std::vector<float2>(kCells, make_float2(0, 1)));
  Buffer<float4> quads(std::vector<float4>(kCells, make_float4(0, 0, 0, 1)));
  add_vectors<<<2, 96>>>(pairs.ptr(), quads.ptr());
  for (const float2 pair : pairs.host()) {
    EXPECT_EQ(pair.x, 64.0f);
    EXPECT_EQ(pair.y, 17.0f);
  }
  for (const float4 quad : quads.host()) {
    EXPECT_EQ(quad.x, 64.0f);
    EXPECT_EQ(quad.y, 128.0f);
    EXPECT_EQ(quad.z, 192.0f);
    EXPECT_EQ(quad.w, 257.0f);
  }
}

// The rounding of each addition is to nearest even: adding half an ulp to an even value is lost,
// to an odd one is not.
__global__ void add_once(float* cells, float amount) {
  atomicAdd(&cells[threadIdx.x], amount);
}

CASE(each_addition_rounds_to_nearest_even) {
  Buffer<float> cells(std::vector<float>{0x1p24f, 0x1p24f + 2, 0x1p24f + 4, -0x1p24f});
  add_once<<<1, 4>>>(cells.ptr(), 1.0f);
  const float want[4] = {0x1p24f, 0x1p24f + 4, 0x1p24f + 4, -0x1p24f + 1};
  EXPECT_EACH(cells, [&](std::size_t i) { return want[i]; });
}

__global__ void shared_sums(float* out, double* out_double) {
  __shared__ float sum;
  __shared__ double wide;
  if (threadIdx.x == 0) {
    sum = 0;
    wide = 0;
  }
  __syncthreads();
  atomicAdd(&sum, static_cast<float>(threadIdx.x));
  atomicAdd(&wide, 0.125 * threadIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  out_double[blockIdx.x * blockDim.x + threadIdx.x] = wide;
}

CASE(sums_in_shared_memory) {
  Buffer<float> out(4 * 128);
  Buffer<double> wide(4 * 128);
  shared_sums<<<4, 128>>>(out.ptr(), wide.ptr());
  EXPECT_EACH(out, [](std::size_t) { return 8128.0f; });
  EXPECT_EACH(wide, [](std::size_t) { return 1016.0; });
}
