// The candidate: the kernel to judge. candidate.io.json says what both are called with.
// It multiplies the sum so far by x/2, so that every power comes by itself.
__global__ void series(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float half = 0.5f * x[i];
  float sum = 1;
  for (int power = 0; power < 8; ++power) sum = 1 + half * sum;
  y[i] = sum;
}
