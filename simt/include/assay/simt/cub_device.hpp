#pragma once

#include <cstddef>
#include <vector>

#include "assay/simt/cub_basics.hpp"
#include "assay/simt/cub_items.hpp"
#include "assay/simt/runtime_api.hpp"

// CUB's functions over whole arrays, called by host code. Memory of the device is memory of the
// host, so plain loops do. They are done when they return, as every launch is here.
namespace cub {

namespace details {

/// Whether the call only asks how much temporary storage is needed.
inline bool asks_for_size(const void* storage, std::size_t& bytes) {
  if (storage == nullptr) bytes = 1;
  return storage == nullptr;
}

template <class Out, class In, class Operator, class T>
cudaError_t reduce_array(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                         Operator combine, T initial) {
  if (asks_for_size(storage, bytes)) return cudaSuccess;
  constexpr std::size_t kRow = 512;
  T total = initial;
  for (std::size_t first = 0; first < count; first += kRow) {
    T row = in[first];
    for (std::size_t i = first + 1; i < count && i < first + kRow; ++i) row = combine(row, in[i]);
    total = combine(total, row);
  }
  *out = total;
  return cudaSuccess;
}

}  // namespace details

template <class In>
using assay_value_of = std::remove_cvref_t<decltype(*std::declval<In>())>;

struct DeviceReduce {
  template <class In, class Out, class Operator, class T>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                            Operator combine, T initial, cudaStream_t = nullptr) {
    return details::reduce_array(storage, bytes, in, out, count, combine, initial);
  }
  template <class In, class Out>
  static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                         cudaStream_t = nullptr) {
    return details::reduce_array(storage, bytes, in, out, count, cub::Sum(), assay_value_of<In>{});
  }
  template <class In, class Out>
  static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                         cudaStream_t = nullptr) {
    return details::reduce_array(storage, bytes, in, out, count, cub::Max(),
                                 details::lowest<assay_value_of<In>>());
  }
  template <class In, class Out>
  static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                         cudaStream_t = nullptr) {
    return details::reduce_array(storage, bytes, in, out, count, cub::Min(),
                                 details::highest<assay_value_of<In>>());
  }
  template <class In, class Out>
  static cudaError_t ArgMax(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                            cudaStream_t = nullptr) {
    return first_of(storage, bytes, in, out, count, [](auto a, auto b) { return b > a; });
  }
  template <class In, class Out>
  static cudaError_t ArgMin(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                            cudaStream_t = nullptr) {
    return first_of(storage, bytes, in, out, count, [](auto a, auto b) { return b < a; });
  }

 private:
  template <class In, class Out, class Better>
  static cudaError_t first_of(void* storage, std::size_t& bytes, In in, Out out, std::size_t count,
                              Better better) {
    if (details::asks_for_size(storage, bytes)) return cudaSuccess;
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (better(in[best], in[i])) best = i;
    }
    out->key = static_cast<decltype(out->key)>(best);
    out->value = in[best];
    return cudaSuccess;
  }
};

struct DeviceScan {
  template <class In, class Out, class Operator>
  static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, In in, Out out,
                                   Operator combine, std::size_t count, cudaStream_t = nullptr) {
    if (details::asks_for_size(storage, bytes) || count == 0) return cudaSuccess;
    assay_value_of<In> running = in[0];
    out[0] = running;
    for (std::size_t i = 1; i < count; ++i) out[i] = running = combine(running, in[i]);
    return cudaSuccess;
  }
  template <class In, class Out, class Operator, class T>
  static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, In in, Out out,
                                   Operator combine, T initial, std::size_t count,
                                   cudaStream_t = nullptr) {
    if (details::asks_for_size(storage, bytes)) return cudaSuccess;
    assay_value_of<In> running = initial;
    for (std::size_t i = 0; i < count; ++i) {
      const assay_value_of<In> item = in[i];  // `out` may be `in`
      out[i] = running;
      running = combine(running, item);
    }
    return cudaSuccess;
  }
  template <class In, class Out>
  static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, In in, Out out,
                                  std::size_t count, cudaStream_t = nullptr) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), count);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, In in, Out out,
                                  std::size_t count, cudaStream_t = nullptr) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), assay_value_of<In>{}, count);
  }
};

struct DeviceRadixSort {
  template <class Key>
  static cudaError_t SortKeys(void* storage, std::size_t& bytes, const Key* in, Key* out,
                              std::size_t count, int begin = 0, int end = sizeof(Key) * 8,
                              cudaStream_t = nullptr) {
    return sort(storage, bytes, in, out, no_values(), no_values(), count, false, begin, end);
  }
  template <class Key>
  static cudaError_t SortKeysDescending(void* storage, std::size_t& bytes, const Key* in, Key* out,
                                        std::size_t count, int begin = 0, int end = sizeof(Key) * 8,
                                        cudaStream_t = nullptr) {
    return sort(storage, bytes, in, out, no_values(), no_values(), count, true, begin, end);
  }
  template <class Key, class Value>
  static cudaError_t SortPairs(void* storage, std::size_t& bytes, const Key* in, Key* out,
                               const Value* values_in, Value* values_out, std::size_t count,
                               int begin = 0, int end = sizeof(Key) * 8, cudaStream_t = nullptr) {
    return sort(storage, bytes, in, out, values_in, values_out, count, false, begin, end);
  }
  template <class Key, class Value>
  static cudaError_t SortPairsDescending(void* storage, std::size_t& bytes, const Key* in, Key* out,
                                         const Value* values_in, Value* values_out,
                                         std::size_t count, int begin = 0,
                                         int end = sizeof(Key) * 8, cudaStream_t = nullptr) {
    return sort(storage, bytes, in, out, values_in, values_out, count, true, begin, end);
  }

 private:
  static NullType* no_values() { return nullptr; }

  template <class Key, class Value>
  static cudaError_t sort(void* storage, std::size_t& bytes, const Key* in, Key* out,
                          const Value* values_in, Value* values_out, std::size_t count,
                          bool descending, int begin, int end) {
    if (details::asks_for_size(storage, bytes)) return cudaSuccess;
    std::copy(in, in + count, out);
    if (values_out != nullptr) std::copy(values_in, values_in + count, values_out);
    details::radix_sort(out, values_out, count, descending, begin, end);
    return cudaSuccess;
  }
};

}  // namespace cub
