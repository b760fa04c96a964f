// One thread per query, three passes over all keys.
constexpr int kDim = 32;

__global__ void attention(const float* q, const float* k, const float* v, float* out, int length,
                          float scale) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= length) return;
  auto score = [&](int key) {
    float dot = 0.0f;
    for (int d = 0; d < kDim; ++d) dot += q[query * kDim + d] * k[key * kDim + d];
    return dot * scale;
  };
  float most = -3.4e38f, sum = 0.0f;
  for (int key = 0; key < length; ++key) most = fmaxf(most, score(key));
  for (int key = 0; key < length; ++key) sum += expf(score(key) - most);
  for (int d = 0; d < kDim; ++d) out[query * kDim + d] = 0.0f;
  for (int key = 0; key < length; ++key) {
    const float weight = expf(score(key) - most) / sum;
    for (int d = 0; d < kDim; ++d) out[query * kDim + d] += weight * v[key * kDim + d];
  }
}
