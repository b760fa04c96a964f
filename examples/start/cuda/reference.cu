// The reference: simple, and right. Every output of the candidate is held against this one's.
// It adds up the powers of x/2, and computes each of them anew.
__global__ void series(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int power = 0; power <= 8; ++power) {
    float term = 1;
    for (int k = 0; k < power; ++k) term *= 0.5f * x[i];
    sum += term;
  }
  y[i] = sum;
}
