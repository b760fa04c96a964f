// A block loads its tile with a rim of one element, so that each element is read once per block.
constexpr int kSide = 16;

__global__ void stencil(const float* __restrict__ in, float* __restrict__ out, int width,
                        int height) {
  __shared__ float tile[kSide + 2][kSide + 2];
  const int x0 = blockIdx.x * kSide - 1, y0 = blockIdx.y * kSide - 1;
  for (int i = threadIdx.y * kSide + threadIdx.x; i < (kSide + 2) * (kSide + 2);
       i += kSide * kSide) {
    const int x = x0 + i % (kSide + 2), y = y0 + i / (kSide + 2);
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    tile[i / (kSide + 2)][i % (kSide + 2)] = inside ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
  if (x >= width || y >= height) return;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  out[y * width + x] =
      border ? tile[ty][tx]
             : 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
