extern "C" __global__ void softmax(const float* x, float* out, int width) {
  const float* row = x + blockIdx.x * width;
  float highest = -INFINITY;
  float total = 0;
  for (int i = threadIdx.x; i < width; i += 32) {
    const float higher = fmaxf(highest, row[i]);
    total = total * __expf(highest - higher) + __expf(row[i] - higher);
    highest = higher;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xFFFFFFFF, highest, step);
    const float more = __shfl_xor_sync(0xFFFFFFFF, total, step);
    const float higher = fmaxf(highest, other);
    total = total * __expf(highest - higher) + more * __expf(other - higher);
    highest = higher;
  }
  for (int i = threadIdx.x; i < width; i += 32) {
    out[blockIdx.x * width + i] = __expf(row[i] - highest) / total;
  }
}
