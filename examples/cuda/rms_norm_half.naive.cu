#include <cuda_fp16.h>

// One thread per row, element by element.
__global__ void rms_norm(const __half* in, const __half* weight, __half* out, int rows, int columns,
                         float epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float squares = 0.0f;
  for (int i = 0; i < columns; ++i) {
    const float v = __half2float(in[row * columns + i]);
    squares += v * v;
  }
  const float scale = rsqrtf(squares / columns + epsilon);
  for (int i = 0; i < columns; ++i) {
    out[row * columns + i] =
        __float2half(__half2float(in[row * columns + i]) * scale * __half2float(weight[i]));
  }
}
