// verdict: wrong_answer
// rule: unwritten
// class: A2
// Leaves out what does not fill a whole block.
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 256 * 256) out[i] = fmaxf(2 * x[i] + 1, 0.0f);
}
