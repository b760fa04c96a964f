// Prefix sums and what they are used for: compaction and run-length encoding.
#include <algorithm>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kBlock = 128;

// Hillis and Steele: every step adds the element `step` places before. Two buffers take turns.
__global__ void inclusive_by_steps(const int* in, int* out) {
  __shared__ int tile[2][kBlock];
  const int t = threadIdx.x;
  int now = 0;
  tile[now][t] = in[t];
  __syncthreads();
  for (int step = 1; step < kBlock; step *= 2) {
    tile[1 - now][t] = tile[now][t] + (t >= step ? tile[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[t] = tile[now][t];
}

// Blelloch: sums up the tree, then prefixes down again; twice as many elements as threads.
__global__ void exclusive_by_tree(const int* in, int* out) {
  extern __shared__ int tree[];
  const int t = threadIdx.x, n = 2 * blockDim.x;
  tree[2 * t] = in[2 * t];
  tree[2 * t + 1] = in[2 * t + 1];
  int offset = 1;
  for (int active = n / 2; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) tree[n - 1] = 0;
  for (int active = 1; active < n; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < active) {
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      const int keep = tree[left];
      tree[left] = tree[right];
      tree[right] += keep;
    }
  }
  __syncthreads();
  out[2 * t] = tree[2 * t];
  out[2 * t + 1] = tree[2 * t + 1];
}

static std::vector<int> inclusive(const std::vector<int>& values) {
  std::vector<int> sums(values);
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  return sums;
}

CASE(hillis_steele) {
  const std::vector<int> values = conformance::random_ints(kBlock, 100, 1);
  const std::vector<int> want = inclusive(values);
  Buffer<int> in(values), out(kBlock);
  inclusive_by_steps<<<1, kBlock>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

CASE(blelloch) {
  const std::vector<int> values = conformance::random_ints(512, 100, 2);
  const std::vector<int> want = inclusive(values);
  Buffer<int> in(values), out(512);
  exclusive_by_tree<<<1, 256, 512 * sizeof(int)>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) { return want[i] - values[i]; });
}

__device__ int warp_scan(int value) {
  const int lane = threadIdx.x % 32;
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

/// Inclusive sum over the block; every thread also learns the block's total.
__device__ int block_scan(int value, int* total) {
  __shared__ int warps[kBlock / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int sum = warp_scan(value);
  __syncthreads();
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  *total = all;
  return before + sum;
}

__global__ void scan_blocks(const int* in, int* out, int* totals, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  int total = 0;
  const int sum = block_scan(i < n ? in[i] : 0, &total);
  if (i < n) out[i] = sum;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

__global__ void add_offsets(int* out, const int* totals, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  int offset = 0;
  for (unsigned b = 0; b < blockIdx.x; ++b) offset += totals[b];
  if (i < n) out[i] += offset;
}

CASE(blocks_then_offsets) {
  constexpr int kCount = 3001, kBlocks = (kCount + kBlock - 1) / kBlock;
  const std::vector<int> values = conformance::random_ints(kCount, 100, 3);
  const std::vector<int> want = inclusive(values);
  Buffer<int> in(values), out(kCount), totals(kBlocks);
  scan_blocks<<<kBlocks, kBlock>>>(in.ptr(), out.ptr(), totals.ptr(), kCount);
  add_offsets<<<kBlocks, kBlock>>>(out.ptr(), totals.ptr(), kCount);
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

// One pass: a block publishes first its own sum, then its prefix, and looks back until it meets
// a prefix (Merrill and Garland). Status and value travel in one 64-bit word.
constexpr unsigned long long kAggregate = 1ull << 62, kPrefix = 2ull << 62;

__global__ void single_pass(const int* in, int* out, unsigned long long* states, unsigned* ticket,
                            int n) {
  __shared__ unsigned block;
  __shared__ int prefix;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1u);
  __syncthreads();
  const int i = static_cast<int>(block) * kBlock + threadIdx.x;
  int total = 0;
  const int sum = block_scan(i < n ? in[i] : 0, &total);
  if (threadIdx.x == 0) {
    const auto own = static_cast<unsigned long long>(static_cast<unsigned>(total));
    if (block > 0) atomicExch(&states[block], kAggregate | own);
    unsigned before = 0;
    for (int back = static_cast<int>(block) - 1; back >= 0; --back) {
      unsigned long long state = 0;
      while ((state = atomicAdd(&states[back], 0ull)) == 0) {
      }
      before += static_cast<unsigned>(state);
      if ((state & kPrefix) != 0) break;
    }
    atomicExch(&states[block], kPrefix | (before + static_cast<unsigned>(total)));
    prefix = static_cast<int>(before);
  }
  __syncthreads();
  if (i < n) out[i] = prefix + sum;
}

CASE(decoupled_look_back) {
  constexpr int kCount = 5000, kBlocks = (kCount + kBlock - 1) / kBlock;
  const std::vector<int> values = conformance::random_ints(kCount, 1000, 4);
  const std::vector<int> want = inclusive(values);
  Buffer<int> in(values), out(kCount);
  Buffer<unsigned long long> states(kBlocks, 0ull);
  Buffer<unsigned> ticket(1, 0u);
  single_pass<<<kBlocks, kBlock>>>(in.ptr(), out.ptr(), states.ptr(), ticket.ptr(), kCount);
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

__global__ void mark(const int* in, int* flags, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) flags[i] = in[i] % 3 == 0 ? 1 : 0;
}

__global__ void scatter(const int* in, const int* flags, const int* places, int* out, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n && flags[i] != 0) out[places[i] - 1] = in[i];
}

CASE(compaction_keeps_the_order) {
  constexpr int kCount = 2000, kBlocks = (kCount + kBlock - 1) / kBlock;
  const std::vector<int> values = conformance::random_ints(kCount, 10000, 5);
  std::vector<int> want;
  for (const int value : values) {
    if (value % 3 == 0) want.push_back(value);
  }
  Buffer<int> in(values), flags(kCount), places(kCount), totals(kBlocks), out(want.size());
  mark<<<kBlocks, kBlock>>>(in.ptr(), flags.ptr(), kCount);
  scan_blocks<<<kBlocks, kBlock>>>(flags.ptr(), places.ptr(), totals.ptr(), kCount);
  add_offsets<<<kBlocks, kBlock>>>(places.ptr(), totals.ptr(), kCount);
  scatter<<<kBlocks, kBlock>>>(in.ptr(), flags.ptr(), places.ptr(), out.ptr(), kCount);
  EXPECT_EQ(places.host().back(), static_cast<int>(want.size()));
  EXPECT_EACH(out, [&](std::size_t i) { return want[i]; });
}

__global__ void mark_starts(const int* in, int* starts, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) starts[i] = i == 0 || in[i] != in[i - 1] ? 1 : 0;
}

__global__ void write_runs(const int* in, const int* starts, const int* run_of, int* values,
                           int* lengths, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  if (starts[i] != 0) values[run_of[i] - 1] = in[i];
  atomicAdd(&lengths[run_of[i] - 1], 1);
}

CASE(run_length_encoding) {
  constexpr int kCount = 1500, kBlocks = (kCount + kBlock - 1) / kBlock;
  std::vector<int> values;
  conformance::Random random(6);
  while (values.size() < kCount) {
    const int value = random.below(5);
    for (int n = random.below(6) + 1; n > 0 && values.size() < kCount; --n) values.push_back(value);
  }
  std::vector<int> symbols, counts;
  for (int i = 0; i < kCount; ++i) {
    if (i == 0 || values[i] != values[i - 1]) {
      symbols.push_back(values[i]);
      counts.push_back(0);
    }
    ++counts.back();
  }
  Buffer<int> in(values), starts(kCount), run_of(kCount), totals(kBlocks);
  Buffer<int> got_symbols(symbols.size()), got_counts(counts.size(), 0);
  mark_starts<<<kBlocks, kBlock>>>(in.ptr(), starts.ptr(), kCount);
  scan_blocks<<<kBlocks, kBlock>>>(starts.ptr(), run_of.ptr(), totals.ptr(), kCount);
  add_offsets<<<kBlocks, kBlock>>>(run_of.ptr(), totals.ptr(), kCount);
  write_runs<<<kBlocks, kBlock>>>(in.ptr(), starts.ptr(), run_of.ptr(), got_symbols.ptr(),
                                  got_counts.ptr(), kCount);
  EXPECT_EACH(got_symbols, [&](std::size_t i) { return symbols[i]; });
  EXPECT_EACH(got_counts, [&](std::size_t i) { return counts[i]; });
}
