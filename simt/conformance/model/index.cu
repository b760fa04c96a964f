// threadIdx, blockIdx, blockDim, gridDim and warpSize in one, two and three dimensions.
#include "../conformance.hpp"

using conformance::Buffer;

__global__ void global_index_1d(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * i + 1;
}

CASE(one_dimension_with_a_tail) {
  constexpr int kCount = 1000;
  Buffer<int> out(kCount);
  global_index_1d<<<(kCount + 127) / 128, 128>>>(out.ptr(), kCount);
  EXPECT_EACH(out, [](std::size_t i) { return 3 * static_cast<int>(i) + 1; });
}

CASE(threads_past_the_end_write_nothing) {
  Buffer<int> out(256);
  global_index_1d<<<4, 64>>>(out.ptr(), 100);
  const int poison = static_cast<int>(0xA5A5A5A5u);
  EXPECT_EACH(out, [=](std::size_t i) { return i < 100 ? 3 * static_cast<int>(i) + 1 : poison; });
}

__global__ void global_index_2d(int2* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = make_int2(x, y);
}

CASE(two_dimensions_with_ragged_edges) {
  constexpr int kWidth = 37, kHeight = 21;
  Buffer<int2> out(kWidth * kHeight);
  const dim3 block(8, 4);
  const dim3 grid((kWidth + block.x - 1) / block.x, (kHeight + block.y - 1) / block.y);
  global_index_2d<<<grid, block>>>(out.ptr(), kWidth, kHeight);
  const std::vector<int2> got = out.host();
  for (int i = 0; i < kWidth * kHeight; ++i) {
    EXPECT_EQ(got[i].x, i % kWidth);
    EXPECT_EQ(got[i].y, i / kWidth);
  }
}

__global__ void global_index_3d(int* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  const unsigned width = gridDim.x * blockDim.x;
  const unsigned height = gridDim.y * blockDim.y;
  out[(z * height + y) * width + x] = static_cast<int>(x + 100 * y + 10000 * z);
}

CASE(three_dimensions) {
  const dim3 grid(2, 3, 4), block(4, 2, 3);
  constexpr int kWidth = 8, kHeight = 6, kDepth = 12;
  Buffer<int> out(kWidth * kHeight * kDepth);
  global_index_3d<<<grid, block>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int x = static_cast<int>(i) % kWidth, y = static_cast<int>(i) / kWidth % kHeight;
    return x + 100 * y + 10000 * static_cast<int>(i / (kWidth * kHeight));
  });
}

// Ranks are counted with x fastest, then y, then z: this is what decides which warp a thread is in.
__global__ void ranks_in_block(int* rank, int* lane, int* warp) {
  const int r = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int in_warp = min(
      warpSize, static_cast<int>(blockDim.x * blockDim.y * blockDim.z) - r / warpSize * warpSize);
  const unsigned mask = in_warp == 32 ? 0xffffffffu : (1u << in_warp) - 1;
  rank[r] = r;
  lane[r] = __popc(__ballot_sync(mask, 1) & ((1u << (r % warpSize)) - 1));
  warp[r] = __shfl_sync(mask, r / warpSize, 0);
}

CASE(linear_rank_decides_the_warp) {
  constexpr int kThreads = 6 * 5 * 4;
  Buffer<int> rank(kThreads), lane(kThreads), warp(kThreads);
  ranks_in_block<<<1, dim3(6, 5, 4)>>>(rank.ptr(), lane.ptr(), warp.ptr());
  EXPECT_EACH(rank, [](std::size_t i) { return static_cast<int>(i); });
  EXPECT_EACH(lane, [](std::size_t i) { return static_cast<int>(i % 32); });
  EXPECT_EACH(warp, [](std::size_t i) { return static_cast<int>(i / 32); });
}

struct Seen {
  uint3 thread, block;
  dim3 block_size, grid_size;
  int warp_size;
};

__global__ void record_builtins(Seen* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned per_block = blockDim.x * blockDim.y * blockDim.z;
  out[block * per_block + thread] = Seen{threadIdx, blockIdx, blockDim, gridDim, warpSize};
}

CASE(every_builtin_in_every_thread) {
  const dim3 grid(3, 2, 2), block(5, 3, 2);
  Buffer<Seen> out(12 * 30);
  record_builtins<<<grid, block>>>(out.ptr());
  const std::vector<Seen> all = out.host();
  for (unsigned i = 0; i < all.size(); ++i) {
    const unsigned b = i / 30, t = i % 30;
    const Seen& seen = all[i];
    EXPECT_EQ(seen.thread.x, t % 5);
    EXPECT_EQ(seen.thread.y, t / 5 % 3);
    EXPECT_EQ(seen.thread.z, t / 15);
    EXPECT_EQ(seen.block.x, b % 3);
    EXPECT_EQ(seen.block.y, b / 3 % 2);
    EXPECT_EQ(seen.block.z, b / 6);
    EXPECT_EQ(seen.block_size.x * 100 + seen.block_size.y * 10 + seen.block_size.z, 532u);
    EXPECT_EQ(seen.grid_size.x * 100 + seen.grid_size.y * 10 + seen.grid_size.z, 322u);
    EXPECT_EQ(seen.warp_size, 32);
  }
}

__global__ void count_visits(int* visits, int* total) {
  atomicAdd(&visits[blockIdx.x], 1);
  atomicAdd(total, 1);
}

CASE(every_thread_of_every_block_runs_once) {
  constexpr int kBlocks = 300;
  Buffer<int> visits(kBlocks, 0), total(1, 0);
  count_visits<<<kBlocks, 96>>>(visits.ptr(), total.ptr());
  EXPECT_EACH(visits, [](std::size_t) { return 96; });
  EXPECT_EACH(total, [](std::size_t) { return kBlocks * 96; });
}

__global__ void grid_stride(float* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    data[i] = 2.0f * data[i] + 1.0f;
  }
}

CASE(grid_stride_loop_covers_more_than_the_grid) {
  constexpr int kCount = 5003;
  Buffer<float> data(conformance::sequence<float>(kCount));
  grid_stride<<<3, 64>>>(data.ptr(), kCount);
  EXPECT_EACH(data, [](std::size_t i) { return 2.0f * static_cast<float>(i) + 1.0f; });
}

CASE(largest_block_and_one_thread_block) {
  Buffer<int> large(1024), small(7);
  global_index_1d<<<1, 1024>>>(large.ptr(), 1024);
  global_index_1d<<<7, 1>>>(small.ptr(), 7);
  EXPECT_EACH(large, [](std::size_t i) { return 3 * static_cast<int>(i) + 1; });
  EXPECT_EACH(small, [](std::size_t i) { return 3 * static_cast<int>(i) + 1; });
}
