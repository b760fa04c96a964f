// Data on grids: transposes, stencils, convolution and a cellular automaton.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kTile = 32, kRows = 8;

__global__ void transpose_naive(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// Reads rows, writes rows: the turn happens in shared memory. One column of padding keeps a
// column's elements in different banks.
template <int Padding>
__global__ void transpose_tiled(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile][kTile + Padding];
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

static void expect_transposed(const Buffer<float>& out, int width, int height) {
  EXPECT_EACH(out, [=](std::size_t i) {
    const int row = static_cast<int>(i) / height, column = static_cast<int>(i) % height;
    return static_cast<float>(column * width + row);
  });
}

CASE(transpose_by_element) {
  constexpr int kWidth = 50, kHeight = 70;
  Buffer<float> in(conformance::sequence<float>(kWidth * kHeight)), out(kWidth * kHeight);
  transpose_naive<<<dim3(4, 5), dim3(16, 16)>>>(in.ptr(), out.ptr(), kWidth, kHeight);
  expect_transposed(out, kWidth, kHeight);
}

CASE(transpose_by_tiles) {
  constexpr int kWidth = 100, kHeight = 75;
  Buffer<float> in(conformance::sequence<float>(kWidth * kHeight)), out(kWidth * kHeight);
  const dim3 grid((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile);
  transpose_tiled<0><<<grid, dim3(kTile, kRows)>>>(in.ptr(), out.ptr(), kWidth, kHeight);
  expect_transposed(out, kWidth, kHeight);
  out.poison();
  transpose_tiled<1><<<grid, dim3(kTile, kRows)>>>(in.ptr(), out.ptr(), kWidth, kHeight);
  expect_transposed(out, kWidth, kHeight);
}

constexpr int kRadius = 3, kLine = 64;

// A block's elements and `kRadius` more on either side, fetched by the first threads.
__global__ void stencil_line(const int* in, int* out, int n) {
  __shared__ int tile[kLine + 2 * kRadius];
  const int i = blockIdx.x * kLine + threadIdx.x, local = threadIdx.x + kRadius;
  auto at = [&](int j) { return j >= 0 && j < n ? in[j] : 0; };
  tile[local] = at(i);
  if (threadIdx.x < kRadius) {
    tile[local - kRadius] = at(i - kRadius);
    tile[local + kLine] = at(i + kLine);
  }
  __syncthreads();
  int sum = 0;
  for (int offset = -kRadius; offset <= kRadius; ++offset) sum += tile[local + offset];
  if (i < n) out[i] = sum;
}

CASE(stencil_in_one_dimension) {
  constexpr int kCount = 1000;
  const std::vector<int> values = conformance::random_ints(kCount, 100, 11);
  Buffer<int> in(values), out(kCount);
  stencil_line<<<(kCount + kLine - 1) / kLine, kLine>>>(in.ptr(), out.ptr(), kCount);
  EXPECT_EACH(out, [&](std::size_t i) {
    int sum = 0;
    for (int j = static_cast<int>(i) - kRadius; j <= static_cast<int>(i) + kRadius; ++j) {
      if (j >= 0 && j < kCount) sum += values[j];
    }
    return sum;
  });
}

// Jacobi steps for a plate with fixed borders.
__global__ void jacobi(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  auto at = [&](int px, int py) {
    const int cx = min(max(px, 0), width - 1), cy = min(max(py, 0), height - 1);
    return in[cy * width + cx];
  };
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == 15) tile[ty][17] = at(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == 15) tile[17][tx] = at(x, y + 1);
  __syncthreads();
  if (x >= width || y >= height) return;
  const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  out[y * width + x] =
      border ? tile[ty][tx]
             : 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

CASE(stencil_in_two_dimensions) {
  constexpr int kWidth = 45, kHeight = 37, kSteps = 6;
  std::vector<double> now(kWidth * kHeight), next(kWidth * kHeight);
  std::vector<float> start = conformance::random_floats(kWidth * kHeight, 0, 100, 12);
  for (std::size_t i = 0; i < start.size(); ++i) now[i] = start[i];
  Buffer<float> a(start), b(start.size());
  for (int step = 0; step < kSteps; ++step) {
    jacobi<<<dim3(3, 3), dim3(16, 16)>>>(step % 2 == 0 ? a.ptr() : b.ptr(),
                                         step % 2 == 0 ? b.ptr() : a.ptr(), kWidth, kHeight);
    next = now;
    for (int y = 1; y < kHeight - 1; ++y) {
      for (int x = 1; x < kWidth - 1; ++x) {
        const int i = y * kWidth + x;
        next[i] = 0.25 * (now[i - 1] + now[i + 1] + now[i - kWidth] + now[i + kWidth]);
      }
    }
    now = next;
  }
  EXPECT_NEAR(a, 1e-4, 0, [&](std::size_t i) { return now[i]; });
}

// Seven points in three dimensions, walking along z with the column in registers.
__global__ void seven_points(const int* in, int* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  auto at = [&](int px, int py, int pz) {
    const bool inside = px >= 0 && px < nx && py >= 0 && py < ny && pz >= 0 && pz < nz;
    return inside ? in[(pz * ny + py) * nx + px] : 0;
  };
  int behind = 0, here = at(x, y, 0);
  for (int z = 0; z < nz; ++z) {
    const int ahead = at(x, y, z + 1);
    out[(z * ny + y) * nx + x] = behind + ahead + at(x - 1, y, z) + at(x + 1, y, z) +
                                 at(x, y - 1, z) + at(x, y + 1, z) - 6 * here;
    behind = here;
    here = ahead;
  }
}

CASE(stencil_in_three_dimensions) {
  constexpr int kNx = 19, kNy = 13, kNz = 11;
  const std::vector<int> v = conformance::random_ints(kNx * kNy * kNz, 1000, 13);
  Buffer<int> in(v), out(v.size());
  seven_points<<<dim3(3, 2), dim3(8, 8)>>>(in.ptr(), out.ptr(), kNx, kNy, kNz);
  EXPECT_EACH(out, [&](std::size_t i) {
    const int x = static_cast<int>(i) % kNx, y = static_cast<int>(i) / kNx % kNy;
    const int z = static_cast<int>(i) / (kNx * kNy);
    int sum = -6 * v[i];
    if (x > 0) sum += v[i - 1];
    if (x + 1 < kNx) sum += v[i + 1];
    if (y > 0) sum += v[i - kNx];
    if (y + 1 < kNy) sum += v[i + kNx];
    if (z > 0) sum += v[i - kNx * kNy];
    if (z + 1 < kNz) sum += v[i + kNx * kNy];
    return sum;
  });
}

constexpr int kFilter = 5;
__constant__ float filter[kFilter][kFilter];

__global__ void convolve(const float* in, float* out, int width, int height) {
  __shared__ float tile[16 + kFilter - 1][16 + kFilter - 1];
  const int x0 = blockIdx.x * 16 - kFilter / 2, y0 = blockIdx.y * 16 - kFilter / 2;
  for (int y = threadIdx.y; y < 16 + kFilter - 1; y += 16) {
    for (int x = threadIdx.x; x < 16 + kFilter - 1; x += 16) {
      const int gx = x0 + x, gy = y0 + y;
      tile[y][x] = gx >= 0 && gx < width && gy >= 0 && gy < height ? in[gy * width + gx] : 0.0f;
    }
  }
  __syncthreads();
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int j = 0; j < kFilter; ++j) {
    for (int i = 0; i < kFilter; ++i) sum += filter[j][i] * tile[threadIdx.y + j][threadIdx.x + i];
  }
  out[y * width + x] = sum;
}

CASE(convolution_with_a_constant_filter) {
  constexpr int kWidth = 40, kHeight = 30;
  float weights[kFilter][kFilter];
  for (int j = 0; j < kFilter; ++j) {
    for (int i = 0; i < kFilter; ++i) weights[j][i] = static_cast<float>((i + 1) * (j + 2)) / 64;
  }
  EXPECT_OK(cudaMemcpyToSymbol(filter, weights, sizeof weights));
  const std::vector<float> image = conformance::random_floats(kWidth * kHeight, -1, 1, 14);
  Buffer<float> in(image), out(image.size());
  convolve<<<dim3(3, 2), dim3(16, 16)>>>(in.ptr(), out.ptr(), kWidth, kHeight);
  EXPECT_NEAR(out, 1e-5, 0, [&](std::size_t at) {
    const int x = static_cast<int>(at) % kWidth, y = static_cast<int>(at) / kWidth;
    double sum = 0;
    for (int j = 0; j < kFilter; ++j) {
      for (int i = 0; i < kFilter; ++i) {
        const int px = x + i - kFilter / 2, py = y + j - kFilter / 2;
        if (px < 0 || px >= kWidth || py < 0 || py >= kHeight) continue;
        sum += static_cast<double>(weights[j][i]) * image[py * kWidth + px];
      }
    }
    return sum;
  });
}

__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
    }
  }
  out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x] != 0) ? 1 : 0;
}

// A glider moves one cell down and right in four generations: the answer is known beforehand.
CASE(game_of_life_moves_a_glider) {
  constexpr int kSide = 24;
  auto world = [](int shift) {
    std::vector<unsigned char> cells(kSide * kSide, 0);
    const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (const auto& cell : glider) {
      cells[(cell[1] + shift) % kSide * kSide + (cell[0] + shift) % kSide] = 1;
    }
    return cells;
  };
  Buffer<unsigned char> a(world(0)), b(kSide * kSide);
  for (int step = 0; step < 4 * 30; ++step) {
    life<<<dim3(3, 3), dim3(8, 8)>>>(step % 2 == 0 ? a.ptr() : b.ptr(),
                                     step % 2 == 0 ? b.ptr() : a.ptr(), kSide, kSide);
  }
  const std::vector<unsigned char> want = world(30);
  EXPECT_EACH(a, [&](std::size_t i) { return want[i]; });
}
