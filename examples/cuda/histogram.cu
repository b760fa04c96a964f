// Each block counts in shared memory and adds its 64 counts once. `bins` comes in as zeros.
constexpr int kBins = 64;

__global__ void histogram(const int* __restrict__ in, int* __restrict__ bins, int n) {
  __shared__ int local[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i]], 1);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(&bins[bin], local[bin]);
  }
}
