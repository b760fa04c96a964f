// verdict: crashed accepted
// Writes until the largest file or the jail's own /tmp is full; the host's disk never sees it.
#include <cstdio>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    static char block[1 << 20];
    FILE* file = std::fopen("/tmp/fill", "w");
    if (file) { while (std::fwrite(block, 1, sizeof block, file) == sizeof block) {} std::fclose(file); }
  }
  if (i < n) y[i] = a * x[i];
}
