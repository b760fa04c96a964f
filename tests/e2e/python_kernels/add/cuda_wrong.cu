// verdict: wrong_answer
__global__ void add(const float* a, const float* b, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = a[i] + b[i / 2 * 2];  // every other element of b
}
