#pragma once

#include <limits>
#include <type_traits>

#include "assay/simt/groups.hpp"

// What CUB's collectives have in common. A collective puts every thread's items into its temporary
// storage, and one thread works through them in order.
namespace cub {

struct NullType {};

template <class Key, class Value>
struct KeyValuePair {
  using key_type = Key;
  using value_type = Value;
  Key key;
  Value value;
  bool operator==(const KeyValuePair&) const = default;
};

struct Sum {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Difference {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a - b;
  }
};
struct Max {
  template <class A, class B>
  std::common_type_t<A, B> operator()(const A& a, const B& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class A, class B>
  std::common_type_t<A, B> operator()(const A& a, const B& b) const {
    return b < a ? b : a;
  }
};
struct Equality {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};
/// Of equal values the one with the lower key.
struct ArgMax {
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

namespace details {

template <class T>
constexpr T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T highest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

/// The sum of `count` items, at least one: first over rows of 32, then over the rows. So the
/// rounding errors of a block stay as small as on a GPU.
template <class T, class Operator>
T reduce(const T* items, int count, Operator& combine) {
  T total = items[0];
  for (int first = 0; first < count; first += 32) {
    T row = items[first];
    for (int i = first + 1; i < count && i < first + 32; ++i) row = combine(row, items[i]);
    total = first == 0 ? row : static_cast<T>(combine(total, row));
  }
  return total;
}

/// Replaces each item by what the items up to it come to, and returns what all come to.
template <class T, class Operator>
T scan(T* items, int count, Operator& combine) {
  for (int i = 1; i < count; ++i) items[i] = combine(items[i - 1], items[i]);
  return items[count - 1];
}

template <class T, int Items, class Operator>
T reduce_own(const T (&items)[Items], Operator& combine) {
  T total = items[0];
  for (int i = 1; i < Items; ++i) total = combine(total, items[i]);
  return total;
}

}  // namespace details

inline int RowMajorTid(int, int, int) {
  return static_cast<int>(assay::simt::linear_thread());
}
inline unsigned LaneId() {
  return assay::simt::lane_id();
}
inline unsigned WarpId() {
  return assay::simt::linear_thread() / 32;
}
template <class T>
constexpr T DivideAndRoundUp(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace cub

#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CubDebugExit(call) static_cast<void>(call)
#define CubDebug(call) (call)
