// verdict: tampered
// rule: timed_runs_differ
// class: B9
// Counts its launches and works only in the first ones.
__device__ int count[4096];

extern "C" __global__ void scale(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int launches = ++count[i];
  out[i] = launches <= 9 ? fmaxf(2 * x[i] + 1, 0.0f) : 1.0f;
}
