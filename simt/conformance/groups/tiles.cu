// Cooperative groups: tiles of a block and the collectives on them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../conformance.hpp"

using conformance::Buffer;
namespace cg = cooperative_groups;

template <unsigned Size>
__global__ void describe_tile(int* out) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  out[3 * threadIdx.x] = static_cast<int>(tile.thread_rank());
  out[3 * threadIdx.x + 1] = static_cast<int>(tile.size() * 1000 + tile.meta_group_rank());
  out[3 * threadIdx.x + 2] = static_cast<int>(tile.meta_group_size());
}

template <unsigned Size>
static void check_tile() {
  Buffer<int> out(3 * 64);
  describe_tile<Size><<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int thread = static_cast<int>(at / 3), size = static_cast<int>(Size);
    const int want[3] = {thread % size, size * 1000 + thread / size, 64 / size};
    return want[at % 3];
  });
}

CASE(tiles_of_every_size) {
  check_tile<1>();
  check_tile<2>();
  check_tile<4>();
  check_tile<8>();
  check_tile<16>();
  check_tile<32>();
}

template <unsigned Size>
__global__ void tile_shuffles(int* out) {
  const auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int value = 100 + threadIdx.x;
  out[4 * threadIdx.x] = tile.shfl(value, Size - 1);
  out[4 * threadIdx.x + 1] = tile.shfl_up(value, 1);
  out[4 * threadIdx.x + 2] = tile.shfl_down(value, 1);
  out[4 * threadIdx.x + 3] = tile.shfl_xor(value, Size / 2);
}

template <unsigned Size>
static void check_shuffles() {
  Buffer<int> out(4 * 64);
  tile_shuffles<Size><<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int size = static_cast<int>(Size), thread = static_cast<int>(at / 4);
    const int rank = thread % size, first = thread - rank;
    const int from[4] = {size - 1, rank > 0 ? rank - 1 : rank, rank + 1 < size ? rank + 1 : rank,
                         rank ^ (size / 2)};
    return 100 + first + from[at % 4];
  });
}

CASE(shuffles_within_a_tile) {
  check_shuffles<2>();
  check_shuffles<8>();
  check_shuffles<32>();
}

__global__ void tile_votes(unsigned* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const unsigned t = threadIdx.x;
  out[5 * t] = tile.ballot(t % 3 == 0);
  out[5 * t + 1] = tile.any(t == 13) ? 1u : 0u;
  out[5 * t + 2] = tile.all(t < 16) ? 1u : 0u;
  out[5 * t + 3] = tile.match_any(t % 4);
  int predicate = 0;
  out[5 * t + 4] = tile.match_all(t / 8, predicate) + (predicate != 0 ? 1000u : 0u);
}

CASE(votes_and_matches_within_a_tile) {
  Buffer<unsigned> out(5 * 32);
  tile_votes<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const unsigned t = static_cast<unsigned>(at / 5), first = t / 8 * 8;
    unsigned ballot = 0, same = 0;
    for (unsigned k = 0; k < 8; ++k) {
      if ((first + k) % 3 == 0) ballot |= 1u << k;
      if ((first + k) % 4 == t % 4) same |= 1u << k;
    }
    const unsigned want[5] = {ballot, first == 8 ? 1u : 0u, first < 16 ? 1u : 0u, same, 1255u};
    return want[at % 5];
  });
}

__global__ void tile_sync(int* out) {
  __shared__ int scratch[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  // Tiles loop a different number of times: each waits for its own threads only.
  int value = threadIdx.x;
  for (unsigned round = 0; round <= tile.meta_group_rank(); ++round) {
    scratch[threadIdx.x] = value;
    tile.sync();
    value = scratch[threadIdx.x / 16 * 16 + (threadIdx.x + 1) % 16];
    tile.sync();
  }
  out[threadIdx.x] = value;
}

CASE(tiles_synchronise_on_their_own) {
  Buffer<int> out(64);
  tile_sync<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    return static_cast<int>(i / 16 * 16 + (i % 16 + i / 16 + 1) % 16);
  });
}

__global__ void reductions(const int* in, int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto small = cg::tiled_partition<4>(cg::this_thread_block());
  const int t = threadIdx.x, mine = in[t];
  int* const to = out + 7 * t;
  to[0] = cg::reduce(warp, mine, cg::plus<int>());
  to[1] = cg::reduce(warp, mine, cg::less<int>());
  to[2] = cg::reduce(warp, mine, cg::greater<int>());
  to[3] = cg::reduce(small, mine, cg::bit_and<int>());
  to[4] = cg::reduce(small, mine, cg::bit_or<int>());
  to[5] = cg::reduce(small, mine, cg::bit_xor<int>());
  to[6] = cg::reduce(small, mine, [](int a, int b) { return a * b % 1009; });
}

CASE(reduce_over_tiles) {
  std::vector<int> values(64);
  for (int i = 0; i < 64; ++i) values[i] = i * 37 % 101 + 1;
  Buffer<int> in(values), out(7 * 64);
  reductions<<<1, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const int t = static_cast<int>(at / 7), form = static_cast<int>(at % 7);
    const int size = form < 3 ? 32 : 4, first = t / size * size;
    int result = values[first];
    for (int k = 1; k < size; ++k) {
      const int v = values[first + k];
      const int next[7] = {
          result + v, v < result ? v : result, v > result ? v : result, result & v, result | v,
          result ^ v, result * v % 1009};
      result = next[form];
    }
    return result;
  });
}

__global__ void float_reductions(const float* in, float* out, double* wide) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<float>());
  wide[threadIdx.x] = cg::reduce(tile, static_cast<double>(in[threadIdx.x]), cg::greater<double>());
}

CASE(reduce_of_floats_and_doubles) {
  Buffer<float> in(conformance::sequence<float>(64)), out(64);
  Buffer<double> wide(64);
  float_reductions<<<1, 64>>>(in.ptr(), out.ptr(), wide.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return static_cast<float>(i / 16 * 256 + 120); });
  EXPECT_EACH(wide, [](std::size_t i) { return static_cast<double>(i / 16 * 16 + 15); });
}

__global__ void scans(const int* in, int* out) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const auto small = cg::tiled_partition<8>(cg::this_thread_block());
  out[3 * threadIdx.x] = cg::inclusive_scan(tile, in[threadIdx.x]);
  out[3 * threadIdx.x + 1] = cg::exclusive_scan(small, in[threadIdx.x], cg::plus<int>());
  out[3 * threadIdx.x + 2] = cg::inclusive_scan(tile, in[threadIdx.x], cg::greater<int>());
}

CASE(scans_over_tiles) {
  const std::vector<int> values = conformance::random_ints(64, 100, 4);
  Buffer<int> in(values), out(3 * 64);
  scans<<<1, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const std::size_t t = at / 3;
    int sum = 0, before = 0, most = 0;
    for (std::size_t k = t / 32 * 32; k <= t; ++k) {
      sum += values[k];
      most = values[k] > most ? values[k] : most;
    }
    for (std::size_t k = t / 8 * 8; k < t; ++k) before += values[k];
    const int want[3] = {sum, before, most};
    return want[at % 3];
  });
}

__global__ void runtime_tiles(int* out, int size) {
  const auto tile = cg::tiled_partition(cg::this_thread_block(), size);
  out[2 * threadIdx.x] = static_cast<int>(tile.thread_rank());
  out[2 * threadIdx.x + 1] = static_cast<int>(tile.size());
  tile.sync();
}

CASE(tile_size_given_at_run_time) {
  for (const int size : {2, 8, 32}) {
    Buffer<int> out(128);
    runtime_tiles<<<1, 64>>>(out.ptr(), size);
    EXPECT_EACH(
        out, [=](std::size_t at) { return at % 2 == 0 ? static_cast<int>(at / 2) % size : size; });
  }
}
