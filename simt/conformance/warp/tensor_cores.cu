// Matrix products of a warp. All numbers are small integers, so every sum is exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../conformance.hpp"

using conformance::Buffer;
namespace wmma = nvcuda::wmma;

int factor(int seed, int row, int column) {
  return (row * 7 + column * 3 + seed) % 9 - 4;
}

/// What the product holds: the rows of A are `inner` long.
int product(int row, int column, int inner) {
  int sum = 0;
  for (int k = 0; k < inner; ++k) sum += factor(1, row, k) * factor(2, k, column);
  return sum;
}

template <class T>
Buffer<T> filled(int seed, int rows, int columns, bool by_rows) {
  std::vector<T> values(rows * columns);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      values[by_rows ? r * columns + c : c * rows + r] = T(static_cast<float>(factor(seed, r, c)));
    }
  }
  return Buffer<T>(values);
}

template <int M, int N, int K, class T, class Sum, class LA, class LB>
__global__ void multiply(const T* a, const T* b, Sum* d, int inner) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sums;
  wmma::fill_fragment(sums, Sum(1));
  const bool a_by_rows = std::is_same_v<LA, wmma::row_major>;
  const bool b_by_rows = std::is_same_v<LB, wmma::row_major>;
  for (int k = 0; k < inner; k += K) {
    wmma::load_matrix_sync(fa, a + (a_by_rows ? k : k * M), a_by_rows ? inner : M);
    wmma::load_matrix_sync(fb, b + (b_by_rows ? k * N : k), b_by_rows ? N : inner);
    wmma::mma_sync(sums, fa, fb, sums);
  }
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = sums.x[i] * Sum(2);
  wmma::store_matrix_sync(d, sums, N, wmma::mem_row_major);
}

template <int M, int N, int K, class T, class Sum, class LA = wmma::row_major,
          class LB = wmma::col_major>
void check_product() {
  constexpr int kInner = 2 * K;
  auto a = filled<T>(1, M, kInner, std::is_same_v<LA, wmma::row_major>);
  auto b = filled<T>(2, kInner, N, std::is_same_v<LB, wmma::row_major>);
  Buffer<Sum> d(M * N);
  multiply<M, N, K, T, Sum, LA, LB><<<1, 32>>>(a.ptr(), b.ptr(), d.ptr(), kInner);
  EXPECT_EACH(d, [](std::size_t i) {
    return Sum(static_cast<float>(
        2 * (1 + product(static_cast<int>(i) / N, static_cast<int>(i) % N, kInner))));
  });
}

CASE(halves_with_sums_of_floats) {
  check_product<16, 16, 16, __half, float>();
}
CASE(both_layouts_of_both_factors) {
  check_product<16, 16, 16, __half, float, wmma::row_major, wmma::row_major>();
  check_product<16, 16, 16, __half, float, wmma::col_major, wmma::col_major>();
  check_product<16, 16, 16, __half, float, wmma::col_major, wmma::row_major>();
}
CASE(halves_with_sums_of_halves) {
  check_product<16, 16, 16, __half, __half>();
}
CASE(tall_and_wide_shapes) {
  check_product<32, 8, 16, __half, float>();
  check_product<8, 32, 16, __half, float>();
}
CASE(bfloat16) {
  check_product<16, 16, 16, __nv_bfloat16, float>();
}
CASE(bytes_with_sums_of_integers) {
  check_product<16, 16, 16, signed char, int>();
}
CASE(doubles) {
  check_product<8, 8, 4, double, double>();
}

__global__ void multiply_tf32(const float* a, const float* b, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(sums, d, 16, wmma::mem_col_major);
  for (auto& x : fa.x) x = wmma::__float_to_tf32(x);
  for (auto& x : fb.x) x = wmma::__float_to_tf32(x);
  wmma::mma_sync(sums, fa, fb, sums);
  wmma::store_matrix_sync(d, sums, 16, wmma::mem_col_major);
}

CASE(tf32_keeps_ten_bits_of_fraction) {
  // 1 + 2^-11 lies between two tf32 numbers and goes away from zero, to 1 + 2^-10.
  Buffer<float> a(std::vector<float>(16 * 8, 1.0F + 1.0F / 2048));
  Buffer<float> b(std::vector<float>(8 * 16, 2.0F));
  std::vector<float> start(256);
  for (int i = 0; i < 256; ++i) start[i] = static_cast<float>(i);
  Buffer<float> d(start);
  multiply_tf32<<<1, 32>>>(a.ptr(), b.ptr(), d.ptr());
  EXPECT_EACH(d, [](std::size_t i) { return static_cast<float>(i) + 16 * (1 + 1.0F / 1024); });
}

__global__ void multiply_by_warps(const __half* a, const __half* b, float* d) {
  __shared__ __half tile[4][16 * 24];
  const int warp = threadIdx.x / 32;
  for (int i = threadIdx.x % 32; i < 256; i += 32) tile[warp][i / 16 * 24 + i % 16] = a[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0F);
  wmma::load_matrix_sync(fa, tile[warp], 24);
  wmma::load_matrix_sync(fb, b, 16);
  for (int round = 0; round <= warp; ++round) wmma::mma_sync(sums, fa, fb, sums);
  wmma::store_matrix_sync(d + warp * 256, sums, 16, wmma::mem_row_major);
}

CASE(warps_of_a_block_multiply_on_their_own) {
  auto a = filled<__half>(1, 16, 16, true);
  auto b = filled<__half>(2, 16, 16, false);
  Buffer<float> d(4 * 256);
  multiply_by_warps<<<1, 128>>>(a.ptr(), b.ptr(), d.ptr());
  EXPECT_EACH(d, [](std::size_t i) {
    const int at = static_cast<int>(i % 256);
    return static_cast<float>(static_cast<int>(i / 256 + 1) * product(at / 16, at % 16, 16));
  });
}
