// verdict: accepted
constexpr int kTile = 8;

__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kTile][kTile + 1], b[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float total = 0;
  for (int start = 0; start < K; start += kTile) {
    const int ka = start + threadIdx.x, kb = start + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[row * K + ka] : 0;
    b[threadIdx.y][threadIdx.x] = kb < K && column < N ? B[kb * N + column] : 0;
    __syncthreads();
    for (int k = 0; k < kTile; ++k) total += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = total;
}
