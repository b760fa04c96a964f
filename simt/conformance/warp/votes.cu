// Ballots, any and all, matches and the mask of active lanes.
#include "../conformance.hpp"

using conformance::Buffer;

constexpr unsigned kAll = 0xffffffffu;

__global__ void ballots(const unsigned* patterns, unsigned* out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned pattern = patterns[warp];
  out[threadIdx.x] = __ballot_sync(kAll, (pattern >> lane & 1) * 8);
}

CASE(ballot_gives_the_pattern_back) {
  const std::vector<unsigned> patterns{0u, kAll, 0x80000001u, 0xdeadbeefu};
  Buffer<unsigned> in(patterns), out(128);
  ballots<<<1, 128>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) { return patterns[i / 32]; });
}

__global__ void ballot_in_branches(unsigned* out) {
  const int lane = threadIdx.x;
  if (lane % 4 == 0) {
    out[lane] = __ballot_sync(0x11111111u, lane >= 16);
  } else {
    out[lane] = __ballot_sync(0xeeeeeeeeu, lane % 2);
  }
}

CASE(ballot_in_diverged_branches) {
  Buffer<unsigned> out(32);
  ballot_in_branches<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i % 4 == 0 ? 0x11110000u : 0xaaaaaaaau; });
}

__global__ void any_and_all(int* out) {
  const int lane = threadIdx.x;
  out[lane] = __any_sync(kAll, lane == 17) != 0;
  out[32 + lane] = __any_sync(kAll, lane > 31) != 0;
  out[64 + lane] = __all_sync(kAll, lane < 32) != 0;
  out[96 + lane] = __all_sync(kAll, lane != 5) != 0;
}

CASE(any_and_all_over_a_warp) {
  Buffer<int> out(128);
  any_and_all<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i / 32 % 2 == 0 ? 1 : 0; });
}

__global__ void votes_of_a_part(int* out) {
  const int lane = threadIdx.x;
  out[lane] = -1;
  if (lane < 10) {
    out[lane] = (__all_sync(0x3ffu, lane < 10) != 0) + 2 * (__any_sync(0x3ffu, lane == 9) != 0);
  }
}

CASE(votes_look_at_the_mask_only) {
  Buffer<int> out(32);
  votes_of_a_part<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) { return i < 10 ? 3 : -1; });
}

template <class T>
__global__ void match_any(const T* keys, unsigned* out) {
  const int lane = threadIdx.x;
  out[lane] = __match_any_sync(kAll, keys[lane]);
}

template <class T>
static void check_match_any(const std::vector<T>& keys) {
  Buffer<T> in(keys);
  Buffer<unsigned> out(32);
  match_any<<<1, 32>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (std::memcmp(&keys[lane], &keys[i], sizeof(T)) == 0) mask |= 1u << lane;
    }
    return mask;
  });
}

template <class T>
static std::vector<T> few_values() {
  std::vector<T> keys(32);
  for (int lane = 0; lane < 32; ++lane) keys[lane] = static_cast<T>(lane * lane % 7 - 3);
  return keys;
}

CASE(match_any_int) {
  check_match_any(few_values<int>());
}
CASE(match_any_unsigned) {
  check_match_any(few_values<unsigned>());
}
CASE(match_any_long_long) {
  std::vector<long long> keys(32);
  for (int lane = 0; lane < 32; ++lane) keys[lane] = (static_cast<long long>(lane % 3) << 40) + 5;
  check_match_any(keys);
}
CASE(match_any_unsigned_long_long) {
  check_match_any(few_values<unsigned long long>());
}
CASE(match_any_float) {
  check_match_any(few_values<float>());
}
CASE(match_any_double) {
  check_match_any(few_values<double>());
}

__global__ void match_all(unsigned* masks, int* predicates) {
  const int lane = threadIdx.x;
  int predicate = -1;
  masks[lane] = __match_all_sync(kAll, 12345, &predicate);
  predicates[lane] = predicate != 0;
  masks[32 + lane] = __match_all_sync(kAll, lane == 3 ? 1.0f : 2.0f, &predicate);
  predicates[32 + lane] = predicate != 0;
  masks[64 + lane] = __match_all_sync(kAll, 1ll << 45, &predicate);
  predicates[64 + lane] = predicate != 0;
  masks[96 + lane] = lane < 4 ? __match_all_sync(0xfu, 7u, &predicate) : 0xfu;
  predicates[96 + lane] = predicate != 0;
}

CASE(match_all_and_its_predicate) {
  Buffer<unsigned> masks(128);
  Buffer<int> predicates(128);
  match_all<<<1, 32>>>(masks.ptr(), predicates.ptr());
  EXPECT_EACH(masks, [](std::size_t i) {
    const unsigned want[4] = {kAll, 0u, kAll, 0xfu};
    return want[i / 32];
  });
  EXPECT_EACH(predicates, [](std::size_t i) { return i / 32 == 1 ? 0 : 1; });
}

__global__ void active(unsigned* out) {
  const int lane = threadIdx.x;
  if (lane % 3 == 1) {
    out[lane] = __activemask();
  } else {
    out[lane] = __activemask();
  }
}

// How far a warp has converged is left open, so only what always holds is checked: a lane is in
// its own mask, and no lane outside the warp is.
CASE(activemask_contains_the_caller) {
  Buffer<unsigned> out(20);
  active<<<1, 20>>>(out.ptr());
  const std::vector<unsigned> masks = out.host();
  for (unsigned lane = 0; lane < 20; ++lane) {
    EXPECT_EQ(masks[lane] >> lane & 1u, 1u);
    EXPECT_EQ(masks[lane] >> 20, 0u);
  }
}

// One atomic per group of lanes with the same key, shared out by rank within the group.
__global__ void aggregated_add(const int* keys, int* counters, int* slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned peers = __match_any_sync(kAll, keys[i]);
  const int leader = __ffs(peers) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(&counters[keys[i]], __popc(peers));
  base = __shfl_sync(peers, base, leader);
  slots[i] = base + __popc(peers & ((1u << lane) - 1));
}

CASE(warp_aggregated_atomics) {
  constexpr int kCount = 640, kKeys = 5;
  const std::vector<int> keys = conformance::random_ints(kCount, kKeys, 17);
  Buffer<int> in(keys), counters(kKeys, 0), slots(kCount);
  aggregated_add<<<5, 128>>>(in.ptr(), counters.ptr(), slots.ptr());
  std::vector<std::vector<int>> seen(kKeys);
  const std::vector<int> got = slots.host();
  for (int key = 0; key < kKeys; ++key) seen[key].assign(kCount, 0);
  for (int i = 0; i < kCount; ++i) {
    EXPECT_TRUE(got[i] >= 0 && got[i] < kCount);
    if (got[i] >= 0 && got[i] < kCount) ++seen[keys[i]][got[i]];
  }
  const std::vector<int> totals = counters.host();
  for (int key = 0; key < kKeys; ++key) {
    EXPECT_EACH(seen[key],
                [&](std::size_t slot) { return static_cast<int>(slot) < totals[key] ? 1 : 0; });
  }
}
