// verdict: accepted
template <typename Join>
__device__ float over_block(float* part, float mine, Join join) {
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }
  const float all = part[0];
  __syncthreads();
  return all;
}

__global__ void softmax(const float* x, float* y, int columns) {
  extern __shared__ float part[];
  const float* in = x + blockIdx.x * columns;
  float* out = y + blockIdx.x * columns;
  float largest = in[0];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, in[c]);
  largest = over_block(part, largest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(in[c] - largest);
  sum = over_block(part, sum, [](float a, float b) { return a + b; });
  for (int c = threadIdx.x; c < columns; c += blockDim.x) out[c] = expf(in[c] - largest) / sum;
}
