// One thread per row, three passes: maximum, sum, quotient.
__global__ void softmax(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const from = in + row * columns;
  float most = from[0], sum = 0.0f;
  for (int i = 1; i < columns; ++i) most = fmaxf(most, from[i]);
  for (int i = 0; i < columns; ++i) sum += expf(from[i] - most);
  for (int i = 0; i < columns; ++i) out[row * columns + i] = expf(from[i] - most) / sum;
}
