// Batcher's bitonic network, one block per row of 256. Partners less than a warp apart exchange by
// shuffle, farther ones through shared memory.
__global__ void __launch_bounds__(256)
    sort_rows(const int* __restrict__ in, int* __restrict__ out, int rows) {
  __shared__ int keys[256];
  const int t = threadIdx.x, row = blockIdx.x;
  if (row >= rows) return;
  int mine = in[row * 256 + t];
  for (int size = 2; size <= 256; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int other;
      if (stride < 32) {
        other = __shfl_xor_sync(0xffffffffu, mine, stride);
      } else {
        __syncthreads();
        keys[t] = mine;
        __syncthreads();
        other = keys[t ^ stride];
      }
      const bool keep_smaller = ((t & stride) == 0) == ((t & size) == 0);
      mine = keep_smaller ? min(mine, other) : max(mine, other);
    }
  }
  out[row * 256 + t] = mine;
}
