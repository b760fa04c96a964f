// Cooperative groups: the thread block and the grid as objects.
#include <cooperative_groups.h>

#include "../conformance.hpp"

using conformance::Buffer;
namespace cg = cooperative_groups;

__global__ void describe_block(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const unsigned i = (blockIdx.x + gridDim.x * blockIdx.y) * block.size() + block.thread_rank();
  const dim3 thread = block.thread_index(), group = block.group_index(), dims = block.group_dim();
  out[3 * i] = static_cast<int>(block.thread_rank());
  out[3 * i + 1] = static_cast<int>(thread.x + 10 * thread.y + 100 * thread.z + 1000 * group.x +
                                    10000 * group.y);
  out[3 * i + 2] =
      static_cast<int>(block.num_threads() * 1000 + dims.x * 100 + dims.y * 10 + dims.z);
}

CASE(thread_block_knows_its_shape) {
  Buffer<int> out(3 * 4 * 24);
  describe_block<<<dim3(2, 2), dim3(4, 3, 2)>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int i = static_cast<int>(at / 3), rank = i % 24, block = i / 24;
    if (at % 3 == 0) return rank;
    if (at % 3 == 2) return 24432;
    return rank % 4 + 10 * (rank / 4 % 3) + 100 * (rank / 12) + 1000 * (block % 2) +
           10000 * (block / 2);
  });
}

__global__ void sync_both_ways(int* out) {
  __shared__ int tile[96];
  auto block = cg::this_thread_block();
  tile[block.thread_rank()] = block.thread_rank();
  block.sync();
  const int seen = tile[95 - block.thread_rank()];
  cg::sync(block);
  tile[block.thread_rank()] = seen * 2;
  cg::thread_block::sync();
  out[block.thread_rank()] = tile[(block.thread_rank() + 1) % 96];
}

CASE(block_sync_in_every_spelling) {
  Buffer<int> out(96);
  sync_both_ways<<<1, 96>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return 2 * (95 - static_cast<int>((i + 1) % 96)); });
}

template <class Group>
__device__ int sum_by_halving(const Group& group, int* scratch, int value) {
  const int rank = static_cast<int>(group.thread_rank());
  for (int step = static_cast<int>(group.size()) / 2; step > 0; step /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < step) value += scratch[rank + step];
    group.sync();
  }
  return value;
}

__global__ void generic_sums(int* out) {
  __shared__ int scratch[128];
  const auto block = cg::this_thread_block();
  const int whole = sum_by_halving(block, scratch, threadIdx.x);
  const auto tile = cg::tiled_partition<32>(block);
  const int part = sum_by_halving(tile, scratch + threadIdx.x / 32 * 32, threadIdx.x);
  if (block.thread_rank() == 0) out[0] = whole;
  if (tile.thread_rank() == 0) out[1 + threadIdx.x / 32] = part;
}

CASE(one_function_for_any_group) {
  Buffer<int> out(5);
  generic_sums<<<1, 128>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    return i == 0 ? 127 * 128 / 2 : static_cast<int>(32 * 32 * (i - 1) + 496);
  });
}

__global__ void describe_grid(unsigned long long* out) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned long long rank = grid.thread_rank();
  out[2 * rank] = rank;
  out[2 * rank + 1] = grid.size() * 100000 + grid.block_rank() * 100 + grid.num_blocks();
}

CASE(grid_group_ranks_without_cooperative_launch) {
  Buffer<unsigned long long> out(2 * 6 * 20);
  describe_grid<<<dim3(3, 2), dim3(5, 4)>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) -> unsigned long long {
    const std::size_t i = at / 2;
    return at % 2 == 0 ? i : 120 * 100000ull + i / 20 * 100 + 6;
  });
}
