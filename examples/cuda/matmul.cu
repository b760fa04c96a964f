// A block computes 64 x 64 of c with 256 threads: slices of a and b go through shared memory, and
// each thread keeps 4 x 4 sums in registers.
constexpr int kBlock = 64, kDepth = 16, kEach = 4, kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
           int n, int k) {
  __shared__ float left[kDepth][kBlock + 1], right[kDepth][kBlock];
  const int t = threadIdx.x, tx = t % (kBlock / kEach), ty = t / (kBlock / kEach);
  const int row0 = blockIdx.y * kBlock, column0 = blockIdx.x * kBlock;
  float sums[kEach][kEach] = {};
  for (int start = 0; start < k; start += kDepth) {
    for (int i = t; i < kBlock * kDepth; i += kThreads) {
      const int line = i / kDepth, depth = i % kDepth;
      const bool inside = row0 + line < m && start + depth < k;
      left[depth][line] = inside ? a[(row0 + line) * k + start + depth] : 0.0f;
    }
    for (int i = t; i < kBlock * kDepth; i += kThreads) {
      const int depth = i / kBlock, across = i % kBlock;
      const bool inside = start + depth < k && column0 + across < n;
      right[depth][across] = inside ? b[(start + depth) * n + column0 + across] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kDepth; ++p) {
      float x[kEach], y[kEach];
      for (int i = 0; i < kEach; ++i) x[i] = left[p][ty * kEach + i];
      for (int j = 0; j < kEach; ++j) y[j] = right[p][tx * kEach + j];
      for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) sums[i][j] += x[i] * y[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; ++i) {
    for (int j = 0; j < kEach; ++j) {
      const int row = row0 + ty * kEach + i, column = column0 + tx * kEach + j;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
  }
}
