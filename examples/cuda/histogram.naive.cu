// Every element is counted in global memory. `bins` comes in as zeros.
__global__ void histogram(const int* in, int* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1);
}
