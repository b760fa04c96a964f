// verdict: timed_out
__global__ void f(const float* x, float* y, float a, int n) { while (true) y[0] += 1; }
