// verdict: wrong_answer
// rule: constant
// class: A4
// One constant for all.
extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.0f;
}
