// The pull of all bodies (x, y, z, mass) on each; one thread per body, straight from memory.
__global__ void n_body(const float* bodies, float* pull, int n, float softening) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum[3] = {0.0f, 0.0f, 0.0f};
  for (int j = 0; j < n; ++j) {
    float d[3], square = softening;
    for (int c = 0; c < 3; ++c) {
      d[c] = bodies[4 * j + c] - bodies[4 * i + c];
      square += d[c] * d[c];
    }
    const float weight = bodies[4 * j + 3] / (square * sqrtf(square));
    for (int c = 0; c < 3; ++c) sum[c] += d[c] * weight;
  }
  for (int c = 0; c < 3; ++c) pull[3 * i + c] = sum[c];
}
