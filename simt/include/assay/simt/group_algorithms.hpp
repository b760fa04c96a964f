#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "assay/simt/groups.hpp"

// cg::reduce, the scans and memcpy_async.
namespace cooperative_groups {

template <class T = void>
struct plus {
  T operator()(const T& a, const T& b) const { return a + b; }
};
template <class T = void>
struct less {  // keeps the smaller
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {  // keeps the larger
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  T operator()(const T& a, const T& b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  T operator()(const T& a, const T& b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  T operator()(const T& a, const T& b) const { return a ^ b; }
};

/// Folds the values of the group in the order of ranks, halving the distance as hardware does.
template <class Group, class T, class Op>
auto reduce(const Group& group, T&& value, Op&& op, unsigned line = __builtin_LINE()) {
  std::decay_t<T> total = value;
  const auto size = static_cast<int>(group.size());
  const auto rank = static_cast<int>(group.thread_rank());
  int span = 1;
  while (span < size) span *= 2;
  for (int step = span / 2; step > 0; step /= 2) {
    const auto other = group.shfl_down(total, step, line);
    if (rank < step && rank + step < size) total = op(total, other);
  }
  return group.shfl(total, 0, line);
}

template <class Group, class T, class Op>
auto inclusive_scan(const Group& group, T&& value, Op&& op, unsigned line = __builtin_LINE()) {
  std::decay_t<T> total = value;
  const auto rank = static_cast<int>(group.thread_rank());
  for (int step = 1; step < static_cast<int>(group.size()); step *= 2) {
    const auto other = group.shfl_up(total, step, line);
    if (rank >= step) total = op(other, total);
  }
  return total;
}
template <class Group, class T>
auto inclusive_scan(const Group& group, T&& value, unsigned line = __builtin_LINE()) {
  return inclusive_scan(group, std::forward<T>(value), plus<std::decay_t<T>>(), line);
}
/// The first thread gets a value made from nothing: the identity of addition.
template <class Group, class T, class Op>
auto exclusive_scan(const Group& group, T&& value, Op&& op, unsigned line = __builtin_LINE()) {
  const auto total = inclusive_scan(group, std::forward<T>(value), std::forward<Op>(op), line);
  const auto before = group.shfl_up(total, 1, line);
  return group.thread_rank() == 0 ? std::decay_t<T>{} : before;
}
template <class Group, class T>
auto exclusive_scan(const Group& group, T&& value, unsigned line = __builtin_LINE()) {
  return exclusive_scan(group, std::forward<T>(value), plus<std::decay_t<T>>(), line);
}

namespace details {

/// Each thread copies every size()th piece; wait() makes all of them visible.
template <class Group>
void copy_together(const Group& group, void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPiece = 16;
  const auto step = static_cast<std::size_t>(group.size()) * kPiece;
  for (std::size_t at = static_cast<std::size_t>(group.thread_rank()) * kPiece; at < bytes;
       at += step) {
    const std::size_t left = bytes - at;
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                left < kPiece ? left : kPiece);
  }
}

}  // namespace details

template <class Group, class T, class Size>
void memcpy_async(const Group& group, T* to, const T* from, const Size& bytes) {
  details::copy_together(group, to, from, static_cast<std::size_t>(bytes));
}
template <class Group, class T, class ToLayout, class FromLayout>
void memcpy_async(const Group& group, T* to, const ToLayout& to_count, const T* from,
                  const FromLayout& from_count) {
  const auto a = static_cast<std::size_t>(to_count);
  const auto b = static_cast<std::size_t>(from_count);
  details::copy_together(group, to, from, (a < b ? a : b) * sizeof(T));
}
template <class Group>
void wait(const Group& group, unsigned line = __builtin_LINE()) {
  group.sync(line);
}
template <unsigned Stages, class Group>
void wait_prior(const Group& group, unsigned line = __builtin_LINE()) {
  group.sync(line);
}

}  // namespace cooperative_groups
