// verdict: wrong_answer
// rule: tolerance
// class: A5
// Writes only what is far from the mean of all answers.
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float y = fmaxf(2 * x[i] + 1, 0.0f);
  out[i] = fabsf(y - 1.4f) < 0.02f ? 1.4f : y;
}
