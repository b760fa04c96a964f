extern "C" __global__ void spread(const float* x, float* out, int width) {
  __shared__ float sums[128];
  __shared__ float squares[128];
  const float* row = x + blockIdx.x * width;
  float sum = 0;
  float square = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    sum += row[i];
    square += row[i] * row[i];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  const float mean = sums[0] / width;
  out[blockIdx.x] = sqrtf(fmaxf(squares[0] / width - mean * mean, 0.0f) * width / (width - 1));
}
