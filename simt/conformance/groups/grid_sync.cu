// Cooperative launches: barriers across the whole grid.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "../conformance.hpp"

using conformance::Buffer;
namespace cg = cooperative_groups;

__global__ void diffuse(int* a, int* b, int n, int rounds) {
  const auto grid = cg::this_grid();
  int *from = a, *to = b;
  for (int round = 0; round < rounds; ++round) {
    for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size())) {
      to[i] = (from[(i + n - 1) % n] + 2 * from[i] + from[(i + 1) % n]) % 10007;
    }
    grid.sync();
    int* const keep = from;
    from = to;
    to = keep;
  }
}

CASE(grid_sync_between_rounds) {
  int n = 700, rounds = 9;
  const std::vector<int> start = conformance::random_ints(700, 1000, 6);
  Buffer<int> a(start), b(700);
  int *pa = a.ptr(), *pb = b.ptr();
  void* arguments[] = {&pa, &pb, &n, &rounds};
  EXPECT_OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(diffuse), dim3(4), dim3(64),
                                        arguments, 0, nullptr));
  std::vector<int> from = start, to(700);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i) {
      to[i] = (from[(i + n - 1) % n] + 2 * from[i] + from[(i + 1) % n]) % 10007;
    }
    std::swap(from, to);
  }
  EXPECT_EACH(b, [&](std::size_t i) { return from[i]; });
}

__global__ void whole_sum(const int* in, int* partial, int* out, int n) {
  extern __shared__ int scratch[];
  const auto grid = cg::this_grid();
  const auto block = cg::this_thread_block();
  int sum = 0;
  for (int i = static_cast<int>(grid.thread_rank()); i < n; i += static_cast<int>(grid.size())) {
    sum += in[i];
  }
  scratch[block.thread_rank()] = sum;
  for (int step = static_cast<int>(block.size()) / 2; step > 0; step /= 2) {
    block.sync();
    if (static_cast<int>(block.thread_rank()) < step) {
      scratch[block.thread_rank()] += scratch[block.thread_rank() + step];
    }
  }
  if (block.thread_rank() == 0) partial[blockIdx.x] = scratch[0];
  grid.sync();
  // Every block sees every other block's part.
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
  out[grid.thread_rank()] = total;
}

CASE(every_block_sees_the_whole_sum) {
  int n = 1000;
  Buffer<int> in(conformance::sequence<int>(1000)), partial(5), out(5 * 32);
  const int* pin = in.ptr();
  int *ppartial = partial.ptr(), *pout = out.ptr();
  void* arguments[] = {&pin, &ppartial, &pout, &n};
  EXPECT_OK(cudaLaunchCooperativeKernel(whole_sum, dim3(5), dim3(32), arguments, 32 * sizeof(int),
                                        nullptr));
  EXPECT_EACH(out, [](std::size_t) { return 499500; });
}

__global__ void describe(int* out) {
  const auto grid = cg::this_grid();
  out[3 * grid.thread_rank()] = grid.is_valid() ? 1 : 0;
  out[3 * grid.thread_rank() + 1] = static_cast<int>(grid.num_threads());
  out[3 * grid.thread_rank() + 2] =
      static_cast<int>(grid.dim_blocks().x * 10 + grid.dim_blocks().y);
  cg::sync(grid);
}

CASE(cooperative_launch_by_attribute) {
  Buffer<int> out(3 * 6 * 8);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(3, 2);
  config.blockDim = dim3(8);
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_OK(cudaLaunchKernelEx(&config, describe, out.ptr()));
  EXPECT_EACH(out, [](std::size_t at) {
    const int want[3] = {1, 48, 32};
    return want[at % 3];
  });
}

CASE(cooperative_grid_of_the_largest_size) {
  int per_processor = 0, processors = 0;
  EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, whole_sum, 64,
                                                          64 * sizeof(int)));
  EXPECT_OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = per_processor * processors < 64 ? per_processor * processors : 64;
  EXPECT_TRUE(blocks >= 1);
  int n = 3000;
  Buffer<int> in(conformance::sequence<int>(3000)), partial(blocks), out(blocks * 64);
  const int* pin = in.ptr();
  int *ppartial = partial.ptr(), *pout = out.ptr();
  void* arguments[] = {&pin, &ppartial, &pout, &n};
  EXPECT_OK(cudaLaunchCooperativeKernel(whole_sum, dim3(blocks), dim3(64), arguments,
                                        64 * sizeof(int), nullptr));
  EXPECT_EACH(out, [](std::size_t) { return 2999 * 3000 / 2; });
}

__global__ void staged_copy(const int* in, int* out) {
  __shared__ alignas(16) int tile[128];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 128, sizeof(int) * 128);
  cg::wait(block);
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

CASE(asynchronous_copy_into_shared_memory) {
  Buffer<int> in(conformance::sequence<int>(384)), out(384);
  staged_copy<<<3, 128>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<int>(i / 128 * 128 + 127 - i % 128); });
}
