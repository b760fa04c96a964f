// One warp per row. Maximum and sum come out of a single pass: whenever the maximum grows, the sum
// so far is scaled down to it.
__global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int rows,
                        int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* const from = in + row * columns;
  float most = -3.4e38f, sum = 0.0f;
  for (int i = lane; i < columns; i += 32) {
    const float next = fmaxf(most, from[i]);
    sum = sum * __expf(most - next) + __expf(from[i] - next);
    most = next;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, most, offset);
    const float other_sum = __shfl_xor_sync(0xffffffffu, sum, offset);
    const float next = fmaxf(most, other);
    sum = sum * __expf(most - next) + other_sum * __expf(other - next);
    most = next;
  }
  for (int i = lane; i < columns; i += 32) {
    out[row * columns + i] = __fdividef(__expf(from[i] - most), sum);
  }
}
