// One warp adds up one row: neighbouring lanes read neighbouring elements, shuffles join them.
__global__ void row_sum(const float* __restrict__ in, float* __restrict__ out, int rows,
                        int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = lane; i < columns; i += 32) sum += in[row * columns + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) out[row] = sum;
}
