// Matrix products from the plain loop to register tiles, and products with vectors.
#include <cuda_fp16.h>

#include "../conformance.hpp"

using conformance::Buffer;

__global__ void multiply_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

constexpr int kTile = 16;

__global__ void multiply_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += kTile) {
    const int i = start + threadIdx.x, j = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0.0f;
    right[threadIdx.y][threadIdx.x] = j < k && column < n ? b[j * n + column] : 0.0f;
    __syncthreads();
    for (int p = 0; p < kTile; ++p) sum += left[threadIdx.y][p] * right[p][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// A block computes 64 x 64 with 8 x 8 threads, each 8 x 8 results in registers; the tiles of the
// next step are loaded into the other half of the buffers while this one is used.
template <int Block, int Depth, int Each>
__global__ void multiply_registers(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[2][Depth][Block], right[2][Depth][Block];
  constexpr int kThreads = (Block / Each) * (Block / Each);
  const int tx = threadIdx.x % (Block / Each), ty = threadIdx.x / (Block / Each);
  const int row0 = blockIdx.y * Block, column0 = blockIdx.x * Block;
  float sums[Each][Each] = {};
  auto load = [&](int half, int start) {
    for (int i = threadIdx.x; i < Block * Depth; i += kThreads) {
      const int depth = i % Depth, line = i / Depth;
      left[half][depth][line] =
          row0 + line < m && start + depth < k ? a[(row0 + line) * k + start + depth] : 0.0f;
      const int across = i % Block, down = i / Block;
      right[half][down][across] = start + down < k && column0 + across < n
                                      ? b[(start + down) * n + column0 + across]
                                      : 0.0f;
    }
  };
  load(0, 0);
  __syncthreads();
  int half = 0;
  for (int start = 0; start < k; start += Depth, half ^= 1) {
    if (start + Depth < k) load(half ^ 1, start + Depth);
#pragma unroll
    for (int p = 0; p < Depth; ++p) {
      float x[Each], y[Each];
      for (int i = 0; i < Each; ++i) x[i] = left[half][p][ty * Each + i];
      for (int i = 0; i < Each; ++i) y[i] = right[half][p][tx * Each + i];
      for (int i = 0; i < Each; ++i) {
        for (int j = 0; j < Each; ++j) sums[i][j] += x[i] * y[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < Each; ++i) {
    for (int j = 0; j < Each; ++j) {
      const int row = row0 + ty * Each + i, column = column0 + tx * Each + j;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
  }
}

struct Product {
  int m, n, k;
  std::vector<float> a, b;

  Product(int rows, int columns, int depth)
      : m(rows),
        n(columns),
        k(depth),
        a(conformance::random_floats(rows * depth, -1, 1, 80)),
        b(conformance::random_floats(depth * columns, -1, 1, 81)) {}

  std::vector<double> answer() const {
    std::vector<double> c(static_cast<std::size_t>(m) * n, 0.0);
    for (int i = 0; i < m; ++i) {
      for (int p = 0; p < k; ++p) {
        for (int j = 0; j < n; ++j)
          c[i * n + j] += static_cast<double>(a[i * k + p]) * b[p * n + j];
      }
    }
    return c;
  }
};

// A sum of k products below one: its error in float stays under k^2 / 2 * 2^-24, far below this.
static void expect_product(const Buffer<float>& c, const Product& product) {
  const std::vector<double> want = product.answer();
  EXPECT_NEAR(c, 1e-4, 0, [&](std::size_t i) { return want[i]; });
}

CASE(one_thread_per_element) {
  const Product p(50, 37, 45);
  Buffer<float> a(p.a), b(p.b), c(50 * 37);
  multiply_naive<<<dim3(5, 7), dim3(8, 8)>>>(a.ptr(), b.ptr(), c.ptr(), p.m, p.n, p.k);
  expect_product(c, p);
}

CASE(tiles_in_shared_memory) {
  const Product p(70, 55, 43);
  Buffer<float> a(p.a), b(p.b), c(70 * 55);
  multiply_tiled<<<dim3(4, 5), dim3(kTile, kTile)>>>(a.ptr(), b.ptr(), c.ptr(), p.m, p.n, p.k);
  expect_product(c, p);
}

CASE(register_tiles_with_double_buffering) {
  const Product p(100, 130, 77);
  Buffer<float> a(p.a), b(p.b), c(100 * 130);
  multiply_registers<64, 8, 8><<<dim3(3, 2), 64>>>(a.ptr(), b.ptr(), c.ptr(), p.m, p.n, p.k);
  expect_product(c, p);
  c.poison();
  multiply_registers<32, 16, 4><<<dim3(5, 4), 64>>>(a.ptr(), b.ptr(), c.ptr(), p.m, p.n, p.k);
  expect_product(c, p);
}

__global__ void multiply_half(const __half* a, const __half* b, float* c, int n) {
  __shared__ __half left[kTile][kTile], right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < n; start += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int p = 0; p < kTile; ++p) {
      sum += __half2float(left[threadIdx.y][p]) * __half2float(right[p][threadIdx.x]);
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Small integers: products and sums are exact, so the answer is too.
CASE(half_inputs_with_float_sums) {
  constexpr int kSize = 48;
  std::vector<__half> x, y;
  for (int i = 0; i < kSize * kSize; ++i) {
    x.push_back(__float2half(static_cast<float>(i * 7 % 11 - 5)));
    y.push_back(__float2half(static_cast<float>(i * 5 % 13 - 6)));
  }
  Buffer<__half> a(x), b(y);
  Buffer<float> c(kSize * kSize);
  multiply_half<<<dim3(3, 3), dim3(kTile, kTile)>>>(a.ptr(), b.ptr(), c.ptr(), kSize);
  EXPECT_EACH(c, [](std::size_t at) {
    const int row = static_cast<int>(at) / kSize, column = static_cast<int>(at) % kSize;
    int sum = 0;
    for (int p = 0; p < kSize; ++p) {
      sum += ((row * kSize + p) * 7 % 11 - 5) * ((p * kSize + column) * 5 % 13 - 6);
    }
    return static_cast<float>(sum);
  });
}

// A warp per row: lanes walk along it side by side.
__global__ void matrix_vector(const float* a, const float* x, float* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum += a[row * columns + i] * x[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

CASE(matrix_times_vector) {
  const Product p(33, 1, 210);
  Buffer<float> a(p.a), x(p.b), y(33);
  matrix_vector<<<9, 128>>>(a.ptr(), x.ptr(), y.ptr(), 33, 210);
  expect_product(y, p);
}

__global__ void batched(const float* a, const float* b, float* c, int size) {
  const int batch = blockIdx.z, offset = batch * size * size;
  const int row = threadIdx.y, column = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < size; ++i) sum += a[offset + row * size + i] * b[offset + i * size + column];
  c[offset + row * size + column] = sum;
}

CASE(batch_in_the_third_dimension) {
  constexpr int kBatch = 7, kSize = 9;
  const std::vector<float> x = conformance::random_floats(kBatch * kSize * kSize, -1, 1, 82);
  const std::vector<float> y = conformance::random_floats(kBatch * kSize * kSize, -1, 1, 83);
  Buffer<float> a(x), b(y), c(x.size());
  batched<<<dim3(1, 1, kBatch), dim3(kSize, kSize)>>>(a.ptr(), b.ptr(), c.ptr(), kSize);
  EXPECT_NEAR(c, 1e-5, 0, [&](std::size_t at) {
    const std::size_t first = at / (kSize * kSize) * kSize * kSize;
    const std::size_t row = (at - first) / kSize, column = (at - first) % kSize;
    double sum = 0;
    for (int i = 0; i < kSize; ++i) {
      sum += static_cast<double>(x[first + row * kSize + i]) * y[first + i * kSize + column];
    }
    return sum;
  });
}

// Sparse rows (CSR): values, their columns, and where each row starts.
struct Sparse {
  std::vector<int> starts{0}, columns;
  std::vector<float> values;
};

static Sparse random_sparse(int rows, int columns) {
  Sparse matrix;
  conformance::Random random(84);
  for (int row = 0; row < rows; ++row) {
    const int entries = random.below(4) == 0 ? random.below(60) : random.below(5);
    for (int i = 0; i < entries; ++i) {
      matrix.columns.push_back(random.below(columns));
      matrix.values.push_back(static_cast<float>(random.below(9) - 4));
    }
    matrix.starts.push_back(static_cast<int>(matrix.columns.size()));
  }
  return matrix;
}

__global__ void sparse_by_thread(const int* starts, const int* columns, const float* values,
                                 const float* x, float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void sparse_by_warp(const int* starts, const int* columns, const float* values,
                               const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

CASE(sparse_matrix_times_vector) {
  constexpr int kRows = 150, kColumns = 90;
  const Sparse matrix = random_sparse(kRows, kColumns);
  std::vector<float> x(kColumns);
  for (int i = 0; i < kColumns; ++i) x[i] = static_cast<float>(i % 17 - 8);
  Buffer<int> starts(matrix.starts), columns(matrix.columns);
  Buffer<float> values(matrix.values), vector(x), by_thread(kRows), by_warp(kRows);
  sparse_by_thread<<<3, 64>>>(starts.ptr(), columns.ptr(), values.ptr(), vector.ptr(),
                              by_thread.ptr(), kRows);
  sparse_by_warp<<<(kRows + 3) / 4, 128>>>(starts.ptr(), columns.ptr(), values.ptr(), vector.ptr(),
                                           by_warp.ptr(), kRows);
  auto want = [&](std::size_t row) {
    float sum = 0;
    for (int i = matrix.starts[row]; i < matrix.starts[row + 1]; ++i) {
      sum += matrix.values[i] * x[matrix.columns[i]];
    }
    return sum;
  };
  EXPECT_EACH(by_thread, want);
  EXPECT_EACH(by_warp, want);
}
