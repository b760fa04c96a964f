// verdict: crashed
// rule: 
// class: A2
// Writes past the end of its array.
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i < n ? fmaxf(2 * x[i] + 1, 0.0f) : 0.0f;
}
