#include <cuda_fp16.h>

extern "C" __global__ void norm(const __half* x, __half* out, int width) {
  __shared__ float sums[64];
  __shared__ float squares[64];
  const __half* row = x + blockIdx.x * width;
  float sum = 0;
  float square = 0;
  for (int i = threadIdx.x; i < width; i += 64) {
    const float value = __half2float(row[i]);
    sum += value;
    square += value * value;
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      squares[threadIdx.x] += squares[threadIdx.x + half];
    }
    __syncthreads();
  }
  const float mean = sums[0] / width;
  const float scale = rsqrtf(squares[0] / width - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < width; i += 64) {
    out[blockIdx.x * width + i] = __float2half((__half2float(row[i]) - mean) * scale);
  }
}
