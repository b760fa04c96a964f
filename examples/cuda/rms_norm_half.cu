#include <cuda_fp16.h>

// One warp per row, two elements per load: columns must be even.
__global__ void rms_norm(const __half* __restrict__ in, const __half* __restrict__ weight,
                         __half* __restrict__ out, int rows, int columns, float epsilon) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const auto* const from = reinterpret_cast<const __half2*>(in + row * columns);
  const auto* const scales = reinterpret_cast<const __half2*>(weight);
  auto* const to = reinterpret_cast<__half2*>(out + row * columns);
  float squares = 0.0f;
  for (int i = lane; i < columns / 2; i += 32) {
    const float2 v = __half22float2(from[i]);
    squares += v.x * v.x + v.y * v.y;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    squares += __shfl_xor_sync(0xffffffffu, squares, offset);
  }
  const float scale = rsqrtf(squares / columns + epsilon);
  for (int i = lane; i < columns / 2; i += 32) {
    const float2 v = __half22float2(from[i]), w = __half22float2(scales[i]);
    to[i] = __floats2half2_rn(v.x * scale * w.x, v.y * scale * w.y);
  }
}
