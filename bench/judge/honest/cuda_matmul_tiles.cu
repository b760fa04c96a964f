extern "C" __global__ void matmul(const float* a, const float* b, float* out, int m, int n, int k) {
  __shared__ float left[16][16];
  __shared__ float right[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float total = 0;
  for (int start = 0; start < k; start += 16) {
    const int x = start + threadIdx.x;
    const int y = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
    right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) total = fmaf(left[threadIdx.y][i], right[i][threadIdx.x], total);
    __syncthreads();
  }
  if (row < m && column < n) out[row * n + column] = total;
}
