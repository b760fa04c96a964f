// verdict: tampered
__global__ void f(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = a * x[i]; const_cast<float*>(x)[i] = 0; }
}
