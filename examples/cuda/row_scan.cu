// One block per row: each warp scans 32 elements with shuffles, the warps' totals are scanned in
// shared memory, and what the block has summed so far is carried to the next stretch of the row.
__global__ void row_scan(const int* __restrict__ in, int* __restrict__ out, int rows, int columns) {
  __shared__ int totals[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int row = blockIdx.x;
  if (row >= rows) return;
  int carried = 0;
  for (int start = 0; start < columns; start += blockDim.x) {
    const int i = start + threadIdx.x;
    int sum = i < columns ? in[row * columns + i] : 0;
    for (int step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += before;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) before += totals[w];
      all += totals[w];
    }
    if (i < columns) out[row * columns + i] = carried + before + sum;
    carried += all;
    __syncthreads();
  }
}
