// verdict: crashed
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i < n ? a * x[i] : x[i];
}
