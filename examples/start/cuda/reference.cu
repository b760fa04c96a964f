// The reference: simple, and right. Every output of the candidate is held against this one's.
__global__ void scale(const float* x, float* y, float a, int n) {
  for (int i = 0; i < n; ++i) {
    if (blockIdx.x == 0 && threadIdx.x == 0) y[i] = a * x[i];
  }
}
