// verdict: wrong_answer
// rule: unwritten
// class: A1
// Leaves out what the memory may hold already.
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) out[i] = fmaxf(2 * x[i] + 1, 0.0f);
}
