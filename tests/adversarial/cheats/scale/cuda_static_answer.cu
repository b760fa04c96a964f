// verdict: wrong_answer
// rule: tolerance
// class: B6
// Keeps its first answer in the memory of the module.
__device__ float kept[4096];
__device__ int done[4096];

extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!done[i]) {
    kept[i] = fmaxf(2 * x[i] + 1, 0.0f);
    done[i] = 1;
  }
  out[i] = kept[i];
}
