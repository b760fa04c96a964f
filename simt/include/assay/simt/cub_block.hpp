#pragma once

#include "assay/simt/cub_basics.hpp"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace details {

template <class T, int Threads>
class BlockCollective {
 public:
  struct TempStorage {
    T items[Threads];
    T total;
    T prefix;
  };
  explicit BlockCollective(TempStorage& storage) : storage_(storage) {}

 protected:
  TempStorage& storage_;
  int rank_ = static_cast<int>(assay::simt::linear_thread());
};

}  // namespace details

/// Only the first thread gets the result; the others get their own item back.
template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce : details::BlockCollective<T, X * Y * Z> {
  using Base = details::BlockCollective<T, X * Y * Z>;

 public:
  using Base::Base;
  using typename Base::TempStorage;

  template <class Operator>
  T Reduce(T item, Operator combine, int valid = X * Y * Z) {
    this->storage_.items[this->rank_] = item;
    __syncthreads();
    return this->rank_ == 0 ? details::reduce(this->storage_.items, valid, combine) : item;
  }
  template <int Items, class Operator>
  T Reduce(T (&items)[Items], Operator combine) {
    return Reduce(details::reduce_own(items, combine), combine);
  }
  T Sum(T item) { return Reduce(item, cub::Sum()); }
  T Sum(T item, int valid) { return Reduce(item, cub::Sum(), valid); }
  template <int Items>
  T Sum(T (&items)[Items]) {
    return Reduce(items, cub::Sum());
  }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan : details::BlockCollective<T, X * Y * Z> {
  using Base = details::BlockCollective<T, X * Y * Z>;

 public:
  using Base::Base;
  using typename Base::TempStorage;

  template <class Operator>
  void InclusiveScan(T item, T& result, Operator combine, T& total) {
    scan(item, combine);
    result = this->storage_.items[this->rank_];
    total = this->storage_.total;
  }
  template <class Operator>
  void InclusiveScan(T item, T& result, Operator combine) {
    T total;
    InclusiveScan(item, result, combine, total);
  }
  template <int Items, class Operator>
  void InclusiveScan(T (&items)[Items], T (&results)[Items], Operator combine, T& total) {
    T own[Items];
    for (int i = 0; i < Items; ++i) own[i] = i == 0 ? items[0] : combine(own[i - 1], items[i]);
    scan(own[Items - 1], combine);
    for (int i = 0; i < Items; ++i) {
      results[i] = this->rank_ == 0 ? own[i] : combine(before(), own[i]);
    }
    total = this->storage_.total;
  }
  template <int Items, class Operator>
  void InclusiveScan(T (&items)[Items], T (&results)[Items], Operator combine) {
    T total;
    InclusiveScan(items, results, combine, total);
  }

  /// The first thread's result is not defined.
  template <class Operator>
  void ExclusiveScan(T item, T& result, Operator combine) {
    scan(item, combine);
    if (this->rank_ > 0) result = before();
  }
  template <class Operator>
  void ExclusiveScan(T item, T& result, T initial, Operator combine, T& total) {
    scan(item, combine);
    result = this->rank_ == 0 ? initial : combine(initial, before());
    total = this->storage_.total;
  }
  template <class Operator>
  void ExclusiveScan(T item, T& result, T initial, Operator combine) {
    T total;
    ExclusiveScan(item, result, initial, combine, total);
  }
  template <int Items, class Operator>
  void ExclusiveScan(T (&items)[Items], T (&results)[Items], T initial, Operator combine,
                     T& total) {
    T running;
    ExclusiveScan(details::reduce_own(items, combine), running, initial, combine, total);
    for (int i = 0; i < Items; ++i) {
      const T item = items[i];  // `results` may be `items`
      results[i] = running;
      running = combine(running, item);
    }
  }
  template <int Items, class Operator>
  void ExclusiveScan(T (&items)[Items], T (&results)[Items], T initial, Operator combine) {
    T total;
    ExclusiveScan(items, results, initial, combine, total);
  }

  template <class In, class Out>
  void InclusiveSum(In&& item, Out& result) {
    InclusiveScan(item, result, cub::Sum());
  }
  template <class In, class Out>
  void ExclusiveSum(In&& item, Out& result) {
    ExclusiveScan(item, result, T{}, cub::Sum());
  }
  void InclusiveSum(T item, T& result, T& total) { InclusiveScan(item, result, cub::Sum(), total); }
  void ExclusiveSum(T item, T& result, T& total) {
    ExclusiveScan(item, result, T{}, cub::Sum(), total);
  }
  template <int Items>
  void InclusiveSum(T (&items)[Items], T (&results)[Items], T& total) {
    InclusiveScan(items, results, cub::Sum(), total);
  }
  template <int Items>
  void ExclusiveSum(T (&items)[Items], T (&results)[Items], T& total) {
    ExclusiveScan(items, results, T{}, cub::Sum(), total);
  }
  /// What stands before the block comes from `prefix`, which is called with the block's total.
  template <class Prefix>
    requires requires(Prefix& prefix, T total) { prefix(total); }
  void InclusiveSum(T item, T& result, Prefix& prefix) {
    cub::Sum combine;
    scan(item, combine);
    result = combine(prefix_of(prefix), this->storage_.items[this->rank_]);
  }
  template <class Prefix>
    requires requires(Prefix& prefix, T total) { prefix(total); }
  void ExclusiveSum(T item, T& result, Prefix& prefix) {
    cub::Sum combine;
    scan(item, combine);
    const T start = prefix_of(prefix);
    result = this->rank_ == 0 ? start : combine(start, before());
  }

 private:
  template <class Operator>
  void scan(T item, Operator& combine) {
    this->storage_.items[this->rank_] = item;
    __syncthreads();
    if (this->rank_ == 0) {
      this->storage_.total = details::scan(this->storage_.items, X * Y * Z, combine);
    }
    __syncthreads();
  }
  [[nodiscard]] T before() const { return this->storage_.items[this->rank_ - 1]; }
  /// All threads of the first warp call it, as in CUB; the first one's answer counts.
  template <class Prefix>
  T prefix_of(Prefix& prefix) {
    if (this->rank_ < 32) {
      const T answer = prefix(this->storage_.total);
      if (this->rank_ == 0) this->storage_.prefix = answer;
    }
    __syncthreads();
    return this->storage_.prefix;
  }
};

}  // namespace cub
