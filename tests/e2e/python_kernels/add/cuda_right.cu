// verdict: accepted
__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + b[i];
}
