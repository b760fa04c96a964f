// Cooperative groups made from whichever threads are there: coalesced, labeled and binary.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../conformance.hpp"

using conformance::Buffer;
namespace cg = cooperative_groups;

// How many threads have come together is left open; what a group says of itself must fit though.
__global__ void branch_groups(int* sizes, int* ranks, int* sums) {
  if (threadIdx.x % 4 == 1) {
    const cg::coalesced_group group = cg::coalesced_threads();
    sizes[threadIdx.x] = static_cast<int>(group.size());
    ranks[threadIdx.x] = static_cast<int>(group.thread_rank());
    sums[threadIdx.x] = cg::reduce(group, 1, cg::plus<int>());
  } else {
    sizes[threadIdx.x] = ranks[threadIdx.x] = sums[threadIdx.x] = -1;
  }
}

CASE(coalesced_group_in_a_branch) {
  Buffer<int> sizes(32), ranks(32), sums(32);
  branch_groups<<<1, 32>>>(sizes.ptr(), ranks.ptr(), sums.ptr());
  const std::vector<int> size = sizes.host(), rank = ranks.host(), sum = sums.host();
  for (int t = 0; t < 32; ++t) {
    if (t % 4 != 1) {
      EXPECT_EQ(size[t], -1);
      continue;
    }
    EXPECT_TRUE(size[t] >= 1 && size[t] <= 8);
    EXPECT_TRUE(rank[t] >= 0 && rank[t] < size[t]);
    EXPECT_EQ(sum[t], size[t]);
  }
}

// One atomic per group, places by rank: every element gets in once, whoever came together.
__global__ void filter_with_groups(const int* in, int* out, int* used, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 2 != 0) return;
  const cg::coalesced_group group = cg::coalesced_threads();
  int base = 0;
  if (group.thread_rank() == 0) base = atomicAdd(used, static_cast<int>(group.size()));
  base = group.shfl(base, 0);
  out[base + group.thread_rank()] = in[i];
}

CASE(filter_by_coalesced_groups) {
  constexpr int kCount = 500;
  Buffer<int> in(conformance::sequence<int>(kCount)), out(kCount), used(1, 0);
  filter_with_groups<<<4, 128>>>(in.ptr(), out.ptr(), used.ptr(), kCount);
  EXPECT_EACH(used, [](std::size_t) { return kCount / 2; });
  std::vector<int> seen(kCount, 0);
  const std::vector<int> got = out.host();
  for (int i = 0; i < kCount / 2; ++i) {
    EXPECT_TRUE(got[i] >= 0 && got[i] < kCount);
    if (got[i] >= 0 && got[i] < kCount) ++seen[got[i]];
  }
  EXPECT_EACH(seen, [](std::size_t value) { return value % 2 == 0 ? 1 : 0; });
}

__global__ void labeled(const int* labels, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto group = cg::labeled_partition(warp, labels[threadIdx.x]);
  out[3 * threadIdx.x] = static_cast<int>(group.size());
  out[3 * threadIdx.x + 1] = static_cast<int>(group.thread_rank());
  out[3 * threadIdx.x + 2] = cg::reduce(group, static_cast<int>(threadIdx.x), cg::plus<int>());
}

CASE(labeled_partition_groups_equal_labels) {
  const std::vector<int> labels = conformance::random_ints(64, 5, 9);
  Buffer<int> in(labels), out(3 * 64);
  labeled<<<1, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const int t = static_cast<int>(at / 3), first = t / 32 * 32;
    int size = 0, rank = 0, sum = 0;
    for (int k = first; k < first + 32; ++k) {
      if (labels[k] != labels[t]) continue;
      if (k < t) ++rank;
      ++size;
      sum += k;
    }
    const int want[3] = {size, rank, sum};
    return want[at % 3];
  });
}

__global__ void binary(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto group = cg::binary_partition(warp, threadIdx.x % 3 == 0);
  out[2 * threadIdx.x] = static_cast<int>(group.size() * 100 + group.thread_rank());
  out[2 * threadIdx.x + 1] = static_cast<int>(group.shfl(threadIdx.x, group.size() - 1));
}

CASE(binary_partition_splits_in_two) {
  Buffer<int> out(64);
  binary<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int t = static_cast<int>(at / 2);
    if (t % 3 == 0) return at % 2 == 0 ? 1100 + t / 3 : 30;
    return at % 2 == 0 ? 2100 + t - t / 3 - 1 : 31;
  });
}

__global__ void partition_of_partition(int* out) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quad = cg::tiled_partition<4>(warp);
  out[threadIdx.x] = static_cast<int>(quad.meta_group_rank() * 10 + quad.thread_rank());
}

CASE(tile_of_a_tile) {
  Buffer<int> out(64);
  partition_of_partition<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i % 32 / 4 * 10 + i % 4); });
}

__global__ void elect(int* leaders) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (warp.thread_rank() == 0) atomicAdd(leaders, 1);
  cg::invoke_one(warp, [&] { atomicAdd(leaders, 100); });
}

CASE(one_thread_of_a_group_is_chosen) {
  Buffer<int> leaders(1, 0);
  elect<<<2, 96>>>(leaders.ptr());
  EXPECT_EACH(leaders, [](std::size_t) { return 6 * 101; });
}
