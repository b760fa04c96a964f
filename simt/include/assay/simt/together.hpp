#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "assay/simt/warp.hpp"

namespace assay::simt {

/// Copies between variables of two lanes. Checks would take another lane's for no memory at all.
template <class T>
[[gnu::noinline, gnu::no_sanitize_thread]] void copy_between_lanes(T* to, const T* from) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    reinterpret_cast<char*>(to)[i] = reinterpret_cast<const char*>(from)[i];
  }
}

/// Every lane of a warp brings an operand. Lane 0 calls `work` with all 32, while the others wait,
/// and each takes its own back: for operations whose work belongs to no single lane.
template <class Operand, class Work>
void together(Operand& mine, const Work& work, unsigned line) {
  static_assert(std::is_trivially_copyable_v<Operand>);
  constexpr unsigned kAll = 0xffffffffU;
  Operand lanes[32];
  auto* const all = reinterpret_cast<Operand*>(
      shuffle(kAll, reinterpret_cast<std::uintptr_t>(&lanes[0]), 0, line));
  copy_between_lanes(all + lane_id(), &mine);
  static_cast<void>(assay_simt_warp(WarpOp::sync, kAll, 0, 0, line));
  if (lane_id() == 0) work(lanes);
  static_cast<void>(assay_simt_warp(WarpOp::sync, kAll, 0, 0, line));
  copy_between_lanes(&mine, all + lane_id());
  static_cast<void>(assay_simt_warp(WarpOp::sync, kAll, 0, 0, line));
}

}  // namespace assay::simt
