// verdict: wrong_answer
// rule: tolerance
// class: A2
// Writes zeros behind the half.
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i < n / 2 ? fmaxf(2 * x[i] + 1, 0.0f) : 0.0f;
}
