// CUB's collectives, and its functions over whole arrays.
#include <cub/cub.cuh>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kThreads = 128;

__device__ int item(int i) {
  return i * 7 % 23 - 5;
}
int host_item(int i) {
  return i * 7 % 23 - 5;
}
int sum_to(int end) {
  int sum = 0;
  for (int i = 0; i < end; ++i) sum += host_item(i);
  return sum;
}

__global__ void reductions(int* out) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const int i = static_cast<int>(threadIdx.x);
  const int sum = Reduce(storage).Sum(item(i));
  __syncthreads();
  const int most = Reduce(storage).Reduce(item(i), cub::Max());
  __syncthreads();
  const int few = Reduce(storage).Sum(item(i), 50);
  __syncthreads();
  int pair[2] = {item(2 * i), item(2 * i + 1)};
  const int pairs = Reduce(storage).Sum(pair);
  if (i == 0) out[0] = sum, out[1] = most, out[2] = few, out[3] = pairs;
}

CASE(block_reduce) {
  Buffer<int> out(4);
  reductions<<<1, kThreads>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const int want[] = {sum_to(128), 17, sum_to(50), sum_to(256)};
    return want[i];
  });
}

__global__ void arg_max(float* value, int* place) {
  using Pair = cub::KeyValuePair<int, float>;
  using Reduce = cub::BlockReduce<Pair, 8, cub::BLOCK_REDUCE_RAKING, 4, 2>;
  __shared__ typename Reduce::TempStorage storage;
  const int i = static_cast<int>(threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z));
  const Pair best = Reduce(storage).Reduce(Pair{i, static_cast<float>(i % 40)}, cub::ArgMax());
  if (i == 0) *value = best.value, *place = best.key;
}

CASE(block_reduce_of_pairs_in_three_dimensions) {
  Buffer<float> value(1);
  Buffer<int> place(1);
  arg_max<<<1, dim3(8, 4, 2)>>>(value.ptr(), place.ptr());
  EXPECT_EACH(value, [](std::size_t) { return 39.0F; });
  EXPECT_EACH(place, [](std::size_t) { return 39; });
}

struct Running {
  int total;
  __device__ int operator()(int block) {
    const int before = total;
    total += block;
    return before;
  }
};

__global__ void scans(int* out) {
  using Scan = cub::BlockScan<int, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  const int i = static_cast<int>(threadIdx.x);
  int before, upto, total, most, prefixed;
  Scan(storage).ExclusiveSum(item(i), before, total);
  __syncthreads();
  Scan(storage).InclusiveSum(item(i), upto);
  __syncthreads();
  Scan(storage).InclusiveScan(item(i), most, cub::Max());
  __syncthreads();
  int items[3] = {item(3 * i), item(3 * i + 1), item(3 * i + 2)};
  Scan(storage).ExclusiveSum(items, items);
  __syncthreads();
  Running running{1000};
  Scan(storage).ExclusiveSum(item(i), prefixed, running);
  const int all[] = {before, upto, total, most, items[0], items[2], prefixed};
  for (int k = 0; k < 7; ++k) out[i * 7 + k] = all[k];
}

CASE(block_scan) {
  Buffer<int> out(kThreads * 7);
  scans<<<1, kThreads>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int i = static_cast<int>(at / 7);
    int most = host_item(0);
    for (int k = 1; k <= i; ++k) most = host_item(k) > most ? host_item(k) : most;
    const int want[] = {sum_to(i),     sum_to(i + 1),     sum_to(128),     most,
                        sum_to(3 * i), sum_to(3 * i + 2), 1000 + sum_to(i)};
    return want[at % 7];
  });
}

__global__ void warps(int* out) {
  using Reduce = cub::WarpReduce<int>;
  using Small = cub::WarpReduce<int, 8>;
  using Scan = cub::WarpScan<int>;
  __shared__ typename Reduce::TempStorage reduce[4];
  __shared__ typename Small::TempStorage small[16];
  __shared__ typename Scan::TempStorage scan[4];
  const int i = static_cast<int>(threadIdx.x);
  const int sum = Reduce(reduce[i / 32]).Sum(item(i));
  const int least = Small(small[i / 8]).Reduce(item(i), cub::Min());
  int before;
  Scan(scan[i / 32]).ExclusiveSum(item(i), before);
  out[i * 3] = i % 32 == 0 ? sum : 0;
  out[i * 3 + 1] = i % 8 == 0 ? least : 0;
  out[i * 3 + 2] = before;
}

CASE(warp_collectives) {
  Buffer<int> out(kThreads * 3);
  warps<<<1, kThreads>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const int i = static_cast<int>(at / 3), first = i / 32 * 32;
    if (at % 3 == 0) return i % 32 == 0 ? sum_to(i + 32) - sum_to(i) : 0;
    if (at % 3 == 2) return sum_to(i) - sum_to(first);
    if (i % 8 != 0) return 0;
    int least = host_item(i);
    for (int k = i; k < i + 8; ++k) least = host_item(k) < least ? host_item(k) : least;
    return least;
  });
}

__global__ void sorts(const float* keys, float* sorted, int* places) {
  using Load = cub::BlockLoad<float, 32, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<float, 32, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<float, 32, 4, int>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } storage;
  float own[4];
  int places_of[4];
  Load(storage.load).Load(keys, own, 100, 1e9F);
  __syncthreads();
  for (int i = 0; i < 4; ++i) places_of[i] = static_cast<int>(threadIdx.x) * 4 + i;
  Sort(storage.sort).Sort(own, places_of);
  __syncthreads();
  Store(storage.store).Store(sorted, own, 100);
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x * 4 + i < 100) places[threadIdx.x * 4 + i] = places_of[i];
  }
}

CASE(block_radix_sort) {
  // 37 and 101 have no common factor: every value appears once.
  std::vector<float> values(100);
  std::vector<int> place_of(100);
  for (int i = 0; i < 100; ++i) {
    const int value = (i + 1) * 37 % 101 - 1;
    values[i] = static_cast<float>(value - 50);
    place_of[value] = i;
  }
  Buffer<float> keys(values), sorted(100);
  Buffer<int> places(100);
  sorts<<<1, 32>>>(keys.ptr(), sorted.ptr(), places.ptr());
  EXPECT_EACH(sorted, [](std::size_t i) { return static_cast<float>(i) - 50; });
  EXPECT_EACH(places, [&](std::size_t i) { return place_of[i]; });
}

template <class Function>
void with_storage(const Function& function) {
  std::size_t bytes = 0;
  EXPECT_OK(function(nullptr, bytes));
  void* storage = nullptr;
  EXPECT_OK(cudaMalloc(&storage, bytes));
  EXPECT_OK(function(storage, bytes));
  EXPECT_OK(cudaFree(storage));
}

CASE(whole_arrays) {
  constexpr int kCount = 3000;
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = host_item(i);
  Buffer<int> in(values), scanned(kCount), sorted(kCount), result(2);
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, in.ptr(), result.ptr(), kCount);
  });
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Max(storage, bytes, in.ptr(), result.ptr() + 1, kCount);
  });
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(storage, bytes, in.ptr(), scanned.ptr(), kCount);
  });
  with_storage([&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, in.ptr(), sorted.ptr(), kCount);
  });
  EXPECT_EACH(result, [](std::size_t i) { return i == 0 ? sum_to(kCount) : 17; });
  EXPECT_EACH(scanned, [](std::size_t i) { return sum_to(static_cast<int>(i)); });
  // 3000 = 130 * 23 + 10: the first ten remainders appear once more.
  std::vector<int> want;
  for (int value = 17; value >= -5; --value) {
    const bool once_more = [&] {
      for (int i = 0; i < 10; ++i) {
        if (host_item(i) == value) return true;
      }
      return false;
    }();
    want.insert(want.end(), once_more ? 131 : 130, value);
  }
  EXPECT_EACH(sorted, [&](std::size_t i) { return want[i]; });
}
