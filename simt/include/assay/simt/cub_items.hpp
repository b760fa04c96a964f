#pragma once

#include <bit>
#include <cstdint>

#include "assay/simt/cub_basics.hpp"

// Loading, storing and sorting the items of a block.
namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}

  template <class Iterator>
  void Load(Iterator from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[place(i)];
  }
  template <class Iterator>
  void Load(Iterator from, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i) {
      if (place(i) < valid) items[i] = from[place(i)];
    }
  }
  template <class Iterator, class Default>
  void Load(Iterator from, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i) {
      items[i] = place(i) < valid ? static_cast<T>(from[place(i)]) : static_cast<T>(otherwise);
    }
  }

 private:
  static int place(int i) {
    const auto rank = static_cast<int>(assay::simt::linear_thread());
    return Algorithm == BLOCK_LOAD_STRIPED ? rank + i * X * Y * Z : rank * Items + i;
  }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage {};
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}

  template <class Iterator>
  void Store(Iterator to, T (&items)[Items]) {
    Store(to, items, X * Y * Z * Items);
  }
  template <class Iterator>
  void Store(Iterator to, T (&items)[Items], int valid) {
    const auto rank = static_cast<int>(assay::simt::linear_thread());
    for (int i = 0; i < Items; ++i) {
      const int place = Algorithm == BLOCK_STORE_STRIPED ? rank + i * X * Y * Z : rank * Items + i;
      if (place < valid) to[place] = items[i];
    }
  }
};

namespace details {

/// Bits that are ordered as the keys are.
template <class Key>
std::uint64_t radix_bits(Key key) {
  constexpr int kBits = sizeof(Key) * 8;
  constexpr std::uint64_t kTop = std::uint64_t{1} << (kBits - 1);
  const std::uint64_t word = assay::simt::to_word(key);
  if constexpr (std::is_integral_v<Key>) {
    return std::is_signed_v<Key> ? word ^ kTop : word;
  } else {
    return (word & kTop) != 0 ? ~word & (kTop | (kTop - 1)) : word | kTop;
  }
}

/// Sorts by the bits from `begin` to `end`, and keeps the order of equal keys.
template <class Key, class Value>
void radix_sort(Key* keys, Value* values, std::size_t count, bool descending, int begin, int end) {
  const std::uint64_t mask =
      end - begin >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - begin)) - 1;
  std::vector<std::pair<std::uint64_t, std::size_t>> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = radix_bits(keys[i]) >> begin & mask;
    order[i] = {descending ? ~bits : bits, i};
  }
  std::sort(order.begin(), order.end());
  const std::vector<Key> old_keys(keys, keys + count);
  const std::vector<Value> old_values(values, values + (values == nullptr ? 0 : count));
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = old_keys[order[i].second];
    if (values != nullptr) values[i] = old_values[order[i].second];
  }
}

}  // namespace details

template <class Key, int X, int Items, class Value = NullType, int = 4, bool = true, int = 0,
          int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
  static constexpr int kThreads = X * Y * Z;
  static constexpr int kAllBits = sizeof(Key) * 8;

 public:
  struct TempStorage {
    Key keys[kThreads * Items];
    Value values[kThreads * Items];
  };
  explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  void Sort(Key (&keys)[Items], int begin = 0, int end = kAllBits) {
    run(keys, nullptr, false, false, begin, end);
  }
  void Sort(Key (&keys)[Items], Value (&values)[Items], int begin = 0, int end = kAllBits) {
    run(keys, values, false, false, begin, end);
  }
  void SortDescending(Key (&keys)[Items], int begin = 0, int end = kAllBits) {
    run(keys, nullptr, true, false, begin, end);
  }
  void SortDescending(Key (&keys)[Items], Value (&values)[Items], int begin = 0,
                      int end = kAllBits) {
    run(keys, values, true, false, begin, end);
  }
  void SortBlockedToStriped(Key (&keys)[Items], int begin = 0, int end = kAllBits) {
    run(keys, nullptr, false, true, begin, end);
  }
  void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin = 0,
                            int end = kAllBits) {
    run(keys, values, false, true, begin, end);
  }

 private:
  void run(Key* keys, Value* values, bool descending, bool striped, int begin, int end) {
    const auto rank = static_cast<int>(assay::simt::linear_thread());
    for (int i = 0; i < Items; ++i) {
      storage_.keys[rank * Items + i] = keys[i];
      if (values != nullptr) storage_.values[rank * Items + i] = values[i];
    }
    __syncthreads();
    if (rank == 0) {
      details::radix_sort(storage_.keys, values == nullptr ? nullptr : storage_.values,
                          kThreads * Items, descending, begin, end);
    }
    __syncthreads();
    for (int i = 0; i < Items; ++i) {
      const int place = striped ? rank + i * kThreads : rank * Items + i;
      keys[i] = storage_.keys[place];
      if (values != nullptr) values[i] = storage_.values[place];
    }
    __syncthreads();
  }

  TempStorage& storage_;
};

}  // namespace cub
