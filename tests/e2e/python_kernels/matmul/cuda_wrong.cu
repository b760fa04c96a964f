// verdict: wrong_answer
__global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float total = 0;
  for (int k = 0; k < K; ++k) total += A[row * K + k] * B[k * N + (column + k) % N];
  C[row * N + column] = total;
}
