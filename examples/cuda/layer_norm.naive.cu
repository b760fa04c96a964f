// One thread per row: mean, variance, result.
__global__ void layer_norm(const float* in, const float* weight, const float* bias, float* out,
                           int rows, int columns, float epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const from = in + row * columns;
  float mean = 0.0f, variance = 0.0f;
  for (int i = 0; i < columns; ++i) mean += from[i];
  mean /= columns;
  for (int i = 0; i < columns; ++i) variance += (from[i] - mean) * (from[i] - mean);
  const float scale = rsqrtf(variance / columns + epsilon);
  for (int i = 0; i < columns; ++i) {
    out[row * columns + i] = (from[i] - mean) * scale * weight[i] + bias[i];
  }
}
