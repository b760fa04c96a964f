// verdict: crashed
__global__ void f(const float* x, float* y, float a, int n) {
  *(volatile int*)(threadIdx.x == 0 ? 16 : 0) = 1;
}
