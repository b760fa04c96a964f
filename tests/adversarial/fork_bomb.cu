// verdict: accepted crashed timed_out out_of_memory
// The bomb is held to the jail's process limit; whether the kernel still gets its work done is
// chance. What matters is that nobody else notices and nothing is left.
#include <unistd.h>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) for (int k = 0; k < 2000; ++k) if (fork() == 0) while (true) fork();
  if (i < n) y[i] = a * x[i];
}
