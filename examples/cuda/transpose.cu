// A tile is read by rows, turned in shared memory and written by rows. The extra column keeps the
// elements of a tile's column in different banks.
constexpr int kTile = 32, kRows = 8;

__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int width,
                          int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += kRows) {
    const int y = blockIdx.y * kTile + row;
    if (x < width && y < height) tile[row][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  for (int row = threadIdx.y; row < kTile; row += kRows) {
    const int y = blockIdx.x * kTile + row;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][row];
  }
}
