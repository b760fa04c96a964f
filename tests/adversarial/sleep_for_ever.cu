// verdict: timed_out
#include <unistd.h>
__global__ void f(const float* x, float* y, float a, int n) { while (true) pause(); }
