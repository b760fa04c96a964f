// verdict: wrong_answer
// rule: tolerance
// class: A6
// Computes in half.
#include <cuda_fp16.h>

extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(__half2float(__float2half(2 * x[i] + 1)), 0.0f);
}
