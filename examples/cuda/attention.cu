// Keys and values pass through shared memory in tiles; the scores are never stored. A thread owns a
// query and rescales its running result whenever a larger score appears.
constexpr int kDim = 32, kTile = 32;

__global__ void __launch_bounds__(kTile)
    attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
              float* __restrict__ out, int length, float scale) {
  __shared__ float keys[kTile][kDim], values[kTile][kDim];
  const int query = blockIdx.x * kTile + threadIdx.x;
  float mine[kDim], result[kDim];
  for (int d = 0; d < kDim; ++d) {
    mine[d] = query < length ? q[query * kDim + d] * scale : 0.0f;
    result[d] = 0.0f;
  }
  float most = -3.4e38f, sum = 0.0f;
  for (int start = 0; start < length; start += kTile) {
    __syncthreads();
    for (int i = threadIdx.x; i < kTile * kDim; i += kTile) {
      const int row = start + i / kDim;
      keys[i / kDim][i % kDim] = row < length ? k[row * kDim + i % kDim] : 0.0f;
      values[i / kDim][i % kDim] = row < length ? v[row * kDim + i % kDim] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < min(kTile, length - start); ++j) {
      float score = 0.0f;
#pragma unroll
      for (int d = 0; d < kDim; ++d) score += mine[d] * keys[j][d];
      const float next = fmaxf(most, score);
      const float keep = __expf(most - next), weight = __expf(score - next);
      sum = sum * keep + weight;
#pragma unroll
      for (int d = 0; d < kDim; ++d) result[d] = result[d] * keep + weight * values[j][d];
      most = next;
    }
  }
  if (query >= length) return;
  for (int d = 0; d < kDim; ++d) out[query * kDim + d] = result[d] / sum;
}
