#include "warp.hpp"

#include <algorithm>
#include <bit>

namespace assay::simt {
namespace {

/// Calls `visit` with each set bit, lowest first.
template <class Visit>
void for_each_lane(unsigned lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

template <class Combine>
void reduce(Warp& warp, unsigned lanes, Combine combine) {
  std::uint64_t total = warp.value[std::countr_zero(lanes)];
  for_each_lane(lanes & (lanes - 1),
                [&](unsigned lane) { total = combine(total, warp.value[lane]); });
  for_each_lane(lanes, [&](unsigned lane) { warp.result[lane] = total; });
}

void ballot(Warp& warp, unsigned lanes) {
  std::uint64_t votes = 0;
  for_each_lane(lanes,
                [&](unsigned lane) { votes |= std::uint64_t{warp.value[lane] != 0} << lane; });
  for_each_lane(lanes, [&](unsigned lane) { warp.result[lane] = votes; });
}

void shuffle(Warp& warp, unsigned lanes) {
  if (lanes == ~0U) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      warp.result[lane] = warp.value[warp.argument[lane] % kWarpSize];
    }
    return;
  }
  for_each_lane(lanes, [&](unsigned lane) {
    // A lane that takes no part has no value to give; hardware gives an undefined one.
    const unsigned source = warp.argument[lane];
    warp.result[lane] = warp.value[(lanes >> source & 1U) != 0 ? source : lane];
  });
}

void match_any(Warp& warp, unsigned lanes) {
  for_each_lane(lanes, [&](unsigned lane) {
    std::uint64_t same = 0;
    for_each_lane(lanes, [&](unsigned other) {
      same |= std::uint64_t{warp.value[other] == warp.value[lane]} << other;
    });
    warp.result[lane] = same;
  });
}

void match_all(Warp& warp, unsigned lanes) {
  const std::uint64_t first = warp.value[std::countr_zero(lanes)];
  bool all = true;
  for_each_lane(lanes, [&](unsigned lane) { all = all && warp.value[lane] == first; });
  for_each_lane(lanes, [&](unsigned lane) { warp.result[lane] = all ? lanes : 0; });
}

std::uint64_t signed_min(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(b) < static_cast<std::int64_t>(a) ? b : a;
}
std::uint64_t signed_max(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) ? b : a;
}

}  // namespace

void Warp::compute(WarpOp op, unsigned lanes) {
  using Word = std::uint64_t;
  Warp& warp = *this;
  switch (op) {
    case WarpOp::sync:
      return;
    case WarpOp::ballot:
      return ballot(warp, lanes);
    case WarpOp::shuffle:
      return shuffle(warp, lanes);
    case WarpOp::match_any:
      return match_any(warp, lanes);
    case WarpOp::match_all:
      return match_all(warp, lanes);
    case WarpOp::add:
      return reduce(warp, lanes, [](Word a, Word b) { return a + b; });
    case WarpOp::min_signed:
      return reduce(warp, lanes, signed_min);
    case WarpOp::max_signed:
      return reduce(warp, lanes, signed_max);
    case WarpOp::min_unsigned:
      return reduce(warp, lanes, [](Word a, Word b) { return std::min(a, b); });
    case WarpOp::max_unsigned:
      return reduce(warp, lanes, [](Word a, Word b) { return std::max(a, b); });
    case WarpOp::bit_and:
      return reduce(warp, lanes, [](Word a, Word b) { return a & b; });
    case WarpOp::bit_or:
      return reduce(warp, lanes, [](Word a, Word b) { return a | b; });
    case WarpOp::bit_xor:
      return reduce(warp, lanes, [](Word a, Word b) { return a ^ b; });
  }
}

unsigned Warp::join(WarpOp op, unsigned mask, unsigned lane) {
  for (unsigned i = 0; i < group_count; ++i) {
    if (groups[i].mask == mask && groups[i].op == op) {
      groups[i].arrived |= 1U << lane;
      return i;
    }
  }
  groups[group_count] = {op, mask, 1U << lane};
  return group_count++;
}

unsigned Warp::finish(unsigned group_index) {
  const WarpGroup group = groups[group_index];
  compute(group.op, group.arrived);
  groups[group_index] = groups[--group_count];
  return group.arrived;
}

}  // namespace assay::simt
