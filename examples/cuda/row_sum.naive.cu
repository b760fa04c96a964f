// One thread adds up one row.
__global__ void row_sum(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) sum += in[row * columns + i];
  out[row] = sum;
}
