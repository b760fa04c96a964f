#pragma once

#include "assay/simt/cub_basics.hpp"

namespace cub {

namespace details {

/// The lanes of a logical warp of `Threads` lanes, and the calling lane's place among them.
template <int Threads>
struct LogicalWarp {
  unsigned place = assay::simt::lane_id() % Threads;
  unsigned mask = (Threads == 32 ? ~0U : (1U << Threads) - 1)
                  << (assay::simt::lane_id() / Threads * Threads);
};

template <class T, int Threads>
class WarpCollective {
  static_assert(Threads >= 1 && Threads <= 32, "a logical warp has 1 to 32 threads");

 public:
  struct TempStorage {
    T items[Threads];
    T total;
  };
  explicit WarpCollective(TempStorage& storage) : storage_(storage) {}

 protected:
  void sync() const { __syncwarp(warp_.mask); }

  TempStorage& storage_;
  LogicalWarp<Threads> warp_;
};

}  // namespace details

/// Only the first lane gets the result; the others get their own item back.
template <class T, int LogicalWarpThreads = 32, int = 0>
class WarpReduce : details::WarpCollective<T, LogicalWarpThreads> {
  using Base = details::WarpCollective<T, LogicalWarpThreads>;

 public:
  using Base::Base;
  using typename Base::TempStorage;

  template <class Operator>
  T Reduce(T item, Operator combine, int valid = LogicalWarpThreads) {
    this->storage_.items[this->warp_.place] = item;
    this->sync();
    if (this->warp_.place == 0) item = details::reduce(this->storage_.items, valid, combine);
    this->sync();
    return item;
  }
  T Sum(T item) { return Reduce(item, cub::Sum()); }
  T Sum(T item, int valid) { return Reduce(item, cub::Sum(), valid); }
  T Max(T item) { return Reduce(item, cub::Max()); }
  T Min(T item) { return Reduce(item, cub::Min()); }
};

template <class T, int LogicalWarpThreads = 32, int = 0>
class WarpScan : details::WarpCollective<T, LogicalWarpThreads> {
  using Base = details::WarpCollective<T, LogicalWarpThreads>;

 public:
  using Base::Base;
  using typename Base::TempStorage;

  template <class Operator>
  void InclusiveScan(T item, T& result, Operator combine) {
    T total;
    InclusiveScan(item, result, combine, total);
  }
  template <class Operator>
  void InclusiveScan(T item, T& result, Operator combine, T& total) {
    scan(item, combine);
    result = this->storage_.items[this->warp_.place];
    total = this->storage_.total;
    this->sync();
  }
  /// The first lane's result is not defined.
  template <class Operator>
  void ExclusiveScan(T item, T& result, Operator combine) {
    scan(item, combine);
    if (this->warp_.place > 0) result = this->storage_.items[this->warp_.place - 1];
    this->sync();
  }
  template <class Operator>
  void ExclusiveScan(T item, T& result, T initial, Operator combine) {
    T total;
    ExclusiveScan(item, result, initial, combine, total);
  }
  template <class Operator>
  void ExclusiveScan(T item, T& result, T initial, Operator combine, T& total) {
    scan(item, combine);
    const unsigned place = this->warp_.place;
    result = place == 0 ? initial : combine(initial, this->storage_.items[place - 1]);
    total = this->storage_.total;
    this->sync();
  }
  void InclusiveSum(T item, T& result) { InclusiveScan(item, result, cub::Sum()); }
  void InclusiveSum(T item, T& result, T& total) { InclusiveScan(item, result, cub::Sum(), total); }
  void ExclusiveSum(T item, T& result) { ExclusiveScan(item, result, T{}, cub::Sum()); }
  void ExclusiveSum(T item, T& result, T& total) {
    ExclusiveScan(item, result, T{}, cub::Sum(), total);
  }
  T Broadcast(T item, unsigned lane) {
    if (this->warp_.place == lane) this->storage_.total = item;
    this->sync();
    item = this->storage_.total;
    this->sync();
    return item;
  }

 private:
  template <class Operator>
  void scan(T item, Operator& combine) {
    this->storage_.items[this->warp_.place] = item;
    this->sync();
    if (this->warp_.place == 0) {
      this->storage_.total = details::scan(this->storage_.items, LogicalWarpThreads, combine);
    }
    this->sync();
  }
};

}  // namespace cub
