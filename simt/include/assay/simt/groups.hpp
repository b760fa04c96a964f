#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "assay/simt/engine.hpp"
#include "assay/simt/sync.hpp"
#include "assay/simt/warp.hpp"

// Cooperative groups. Every group smaller than a block is a set of lanes of one warp.
namespace cooperative_groups {

namespace details {

/// Lanes of the calling thread's warp that work together; ranks count the set bits of the mask.
class LaneGroup {
 public:
  explicit LaneGroup(unsigned mask) : mask_(mask) {}

  [[nodiscard]] unsigned long long num_threads() const { return size(); }
  [[nodiscard]] unsigned long long size() const {
    return static_cast<unsigned long long>(std::popcount(mask_));
  }
  [[nodiscard]] unsigned long long thread_rank() const {
    return static_cast<unsigned long long>(
        std::popcount(mask_ & ((1U << assay::simt::lane_id()) - 1)));
  }
  void sync(unsigned line = __builtin_LINE()) const { __syncwarp(mask_, line); }
  [[nodiscard]] unsigned lanes() const { return mask_; }

  template <class T>
  T shfl(T value, int source, unsigned line = __builtin_LINE()) const {
    return exchange(value, lane_of(static_cast<unsigned>(source) % static_cast<unsigned>(size())),
                    line);
  }
  template <class T>
  T shfl_up(T value, int delta, unsigned line = __builtin_LINE()) const {
    const auto rank = static_cast<int>(thread_rank());
    return exchange(value, lane_of(static_cast<unsigned>(rank >= delta ? rank - delta : rank)),
                    line);
  }
  template <class T>
  T shfl_down(T value, int delta, unsigned line = __builtin_LINE()) const {
    const auto rank = static_cast<int>(thread_rank());
    const bool inside = rank + delta < static_cast<int>(size());
    return exchange(value, lane_of(static_cast<unsigned>(inside ? rank + delta : rank)), line);
  }

  [[nodiscard]] int any(int predicate, unsigned line = __builtin_LINE()) const {
    return __any_sync(mask_, predicate, line);
  }
  [[nodiscard]] int all(int predicate, unsigned line = __builtin_LINE()) const {
    return __all_sync(mask_, predicate, line);
  }
  /// One bit for each rank, lowest first.
  [[nodiscard]] unsigned ballot(int predicate, unsigned line = __builtin_LINE()) const {
    return packed(__ballot_sync(mask_, predicate, line));
  }
  template <class T>
  unsigned match_any(T value, unsigned line = __builtin_LINE()) const {
    return packed(__match_any_sync(mask_, value, line));
  }
  template <class T>
  unsigned match_all(T value, int& predicate, unsigned line = __builtin_LINE()) const {
    return packed(__match_all_sync(mask_, value, &predicate, line));
  }

 protected:
  /// The lane of a rank: the position of the mask's nth set bit.
  [[nodiscard]] unsigned lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rank-- > 0) rest &= rest - 1;
    return static_cast<unsigned>(std::countr_zero(rest));
  }
  [[nodiscard]] unsigned packed(unsigned lanes) const {
    unsigned result = 0;
    unsigned rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank) {
      result |= (lanes >> std::countr_zero(rest) & 1U) << rank;
    }
    return result;
  }
  /// Values longer than a word go in pieces.
  template <class T>
  T exchange(const T& value, unsigned lane, unsigned line) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (sizeof(T) <= 8) {
      return assay::simt::shuffle(mask_, value, lane, line);
    } else {
      T result;
      for (std::size_t at = 0; at < sizeof(T); at += 8) {
        const std::size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
        unsigned long long word = 0;
        std::memcpy(&word, reinterpret_cast<const char*>(&value) + at, bytes);
        word = assay::simt::shuffle(mask_, word, lane, line);
        std::memcpy(reinterpret_cast<char*>(&result) + at, &word, bytes);
      }
      return result;
    }
  }

  unsigned mask_;
};

/// The lanes of the calling thread's tile, cut off where the block ends.
inline unsigned tile_mask(unsigned size) {
  const unsigned lane = assay::simt::lane_id();
  const unsigned first = lane & ~(size - 1);
  const unsigned tile = (size >= 32 ? ~0U : (1U << size) - 1) << first;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned rest = threads - (assay::simt::linear_thread() & ~31U);
  return rest >= 32 ? tile : tile & ((1U << rest) - 1);
}

}  // namespace details

class coalesced_group;

class thread_block {
 public:
  [[gnu::always_inline]] static void sync(unsigned line = __builtin_LINE()) { __syncthreads(line); }
  static unsigned thread_rank() { return assay::simt::linear_thread(); }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }

  struct arrival_token {};
  [[nodiscard]] arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) const { sync(line); }
};

class grid_group {
 public:
  [[gnu::always_inline]] static void sync(unsigned line = __builtin_LINE()) {
    assay_simt_grid_barrier(line);
  }
  [[nodiscard]] static bool is_valid() { return assay_simt_is_cooperative(); }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned long long size() { return num_threads(); }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  static dim3 block_index() { return blockIdx; }

  struct arrival_token {};
  [[nodiscard]] arrival_token barrier_arrive() const { return {}; }
  void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) const { sync(line); }
};

class coalesced_group : public details::LaneGroup {
 public:
  using LaneGroup::LaneGroup;
  [[nodiscard]] unsigned long long meta_group_size() const { return meta_size_; }
  [[nodiscard]] unsigned long long meta_group_rank() const { return meta_rank_; }
  void set_meta(unsigned size, unsigned rank) { meta_size_ = size, meta_rank_ = rank; }

 private:
  unsigned meta_size_ = 1;
  unsigned meta_rank_ = 0;
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public details::LaneGroup {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16 or 32 threads on this device");

 public:
  thread_block_tile() : LaneGroup(details::tile_mask(Size)) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) : thread_block_tile() {}

  static constexpr unsigned long long num_threads() { return Size; }
  static constexpr unsigned long long size() { return Size; }
  [[nodiscard]] static unsigned long long thread_rank() {
    return assay::simt::linear_thread() & (Size - 1);
  }
  [[nodiscard]] unsigned long long meta_group_rank() const {
    return assay::simt::linear_thread() % parent_size() / Size;
  }
  [[nodiscard]] unsigned long long meta_group_size() const {
    return (parent_size() + Size - 1) / Size;
  }
  template <class T>
  T shfl_xor(T value, int mask, unsigned line = __builtin_LINE()) const {
    const auto rank = static_cast<unsigned>(thread_rank()) ^ static_cast<unsigned>(mask);
    return exchange(value, (assay::simt::lane_id() & ~(Size - 1)) + (rank & (Size - 1)), line);
  }

 private:
  static unsigned parent_size() {
    if constexpr (requires { Parent::size(); }) {
      return static_cast<unsigned>(Parent::size());
    } else {
      return thread_block::size();
    }
  }
};

/// Any group, its kind known only at run time.
class thread_group {
 public:
  thread_group(const thread_block&) : block_(true), mask_(0) {}
  thread_group(const details::LaneGroup& group) : block_(false), mask_(group.lanes()) {}

  void sync(unsigned line = __builtin_LINE()) const {
    if (block_) {
      __syncthreads(line);
    } else {
      __syncwarp(mask_, line);
    }
  }
  [[nodiscard]] unsigned long long size() const {
    return block_ ? thread_block::size() : details::LaneGroup(mask_).size();
  }
  [[nodiscard]] unsigned long long num_threads() const { return size(); }
  [[nodiscard]] unsigned long long thread_rank() const {
    return block_ ? thread_block::thread_rank() : details::LaneGroup(mask_).thread_rank();
  }
  [[nodiscard]] unsigned lanes() const { return mask_; }

 private:
  bool block_;
  unsigned mask_;
};

inline thread_block this_thread_block() {
  return {};
}
inline grid_group this_grid() {
  return {};
}
inline coalesced_group coalesced_threads(unsigned line = __builtin_LINE()) {
  return coalesced_group(__activemask(line));
}
inline thread_block_tile<1> this_thread() {
  return {};
}

template <unsigned Size>
thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) {
  return {};
}
template <unsigned Size, unsigned Outer, class Parent>
thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(
    const thread_block_tile<Outer, Parent>&) {
  static_assert(Size <= Outer, "a tile cannot be larger than its parent");
  return {};
}
inline thread_group tiled_partition(const thread_group&, unsigned size) {
  return details::LaneGroup(details::tile_mask(size));
}
inline thread_group tiled_partition(const thread_block&, unsigned size) {
  return details::LaneGroup(details::tile_mask(size));
}
/// Every `size` threads of a coalesced group, by rank.
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const auto mine = static_cast<unsigned>(parent.thread_rank()) / size;
  unsigned mask = 0;
  unsigned rank = 0;
  for (unsigned rest = parent.lanes(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == mine) mask |= rest & (0U - rest);
  }
  coalesced_group group(mask);
  group.set_meta((static_cast<unsigned>(parent.size()) + size - 1) / size, mine);
  return group;
}

template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label,
                                  unsigned line = __builtin_LINE()) {
  const unsigned same = __match_any_sync(group.lanes(), label, line);
  // Groups are numbered by the rank of their first member.
  const unsigned leader = same & (0U - same);
  const unsigned leaders =
      __ballot_sync(group.lanes(), leader == 1U << assay::simt::lane_id(), line);
  coalesced_group part(same);
  part.set_meta(static_cast<unsigned>(std::popcount(leaders)),
                static_cast<unsigned>(std::popcount(leaders & (leader - 1))));
  return part;
}
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate,
                                 unsigned line = __builtin_LINE()) {
  const unsigned yes = __ballot_sync(group.lanes(), predicate, line);
  const unsigned mine = predicate ? yes : group.lanes() & ~yes;
  coalesced_group part(mine);
  part.set_meta(2, predicate ? 1 : 0);
  return part;
}

template <class Group>
void sync(const Group& group, unsigned line = __builtin_LINE()) {
  group.sync(line);
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.size();
}

/// Runs `function` on one thread of the group.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0)
    std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}
/// The same, and gives every thread what it returned.
template <class Group, class Function, class... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  using T = std::decay_t<decltype(std::forward<Function>(function)(
      std::forward<Arguments>(arguments)...))>;
  T value{};
  if (group.thread_rank() == 0) {
    value = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
  }
  return group.shfl(value, 0);
}

namespace experimental {}

}  // namespace cooperative_groups
