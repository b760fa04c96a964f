// verdict: accepted
// Right only if the server's files cannot be seen: SECRET_PATH is put in by the test.
#include <fcntl.h>
#include <unistd.h>
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool seen = open("SECRET_PATH", O_RDONLY) >= 0 || open("/etc/shadow", O_RDONLY) >= 0 ||
                    open("/root", O_RDONLY) >= 0 || open("/proc/1/environ", O_RDONLY) >= 0;
  if (i < n) y[i] = seen ? 0 : a * x[i];
}
