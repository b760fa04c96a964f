// verdict: wrong_answer
__global__ void softmax(const float* x, float* y, int columns) {
  const float* in = x + blockIdx.x * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c]);  // of this thread alone
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[blockIdx.x * columns + c] = expf(in[c]) / sum;
}
