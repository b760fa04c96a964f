// atomicCAS on 16, 32 and 64 bits, and the operations people build from it.
#include <algorithm>

#include "../conformance.hpp"

using conformance::Buffer;

template <class T>
__global__ void claim_cells(T* cells, int* winners, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const T old = atomicCAS(&cells[i % count], T{0}, static_cast<T>(i + 1));
  if (old == 0) atomicAdd(&winners[i % count], 1);
}

template <class T>
static void check_claims() {
  constexpr int kCells = 7, kTotal = 6 * 64;
  Buffer<T> cells(kCells, T{0});
  Buffer<int> winners(kCells, 0);
  claim_cells<<<6, 64>>>(cells.ptr(), winners.ptr(), kCells);
  EXPECT_EACH(winners, [](std::size_t) { return 1; });
  const std::vector<T> owners = cells.host();
  for (int cell = 0; cell < kCells; ++cell) {
    const int owner = static_cast<int>(owners[cell]) - 1;
    EXPECT_TRUE(owner >= 0 && owner < kTotal && owner % kCells == cell);
  }
}

CASE(one_winner_unsigned_short) {
  check_claims<unsigned short>();
}
CASE(one_winner_int) {
  check_claims<int>();
}
CASE(one_winner_unsigned) {
  check_claims<unsigned>();
}
CASE(one_winner_unsigned_long_long) {
  check_claims<unsigned long long>();
}

template <class T>
__global__ void add_by_cas(T* cell, T* old_values) {
  T seen = *cell, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(cell, assumed, static_cast<T>(assumed + 1));
  } while (seen != assumed);
  old_values[blockIdx.x * blockDim.x + threadIdx.x] = assumed;
}

template <class T>
static void check_add_by_cas() {
  Buffer<T> cell(1, T{100}), old(240);
  add_by_cas<<<3, 80>>>(cell.ptr(), old.ptr());
  EXPECT_EACH(cell, [](std::size_t) { return T{340}; });
  std::vector<T> steps = old.host();
  std::sort(steps.begin(), steps.end());
  EXPECT_EACH(steps, [](std::size_t i) { return static_cast<T>(100 + i); });
}

CASE(addition_by_cas_unsigned_short) {
  check_add_by_cas<unsigned short>();
}
CASE(addition_by_cas_int) {
  check_add_by_cas<int>();
}
CASE(addition_by_cas_unsigned_long_long) {
  check_add_by_cas<unsigned long long>();
}

// 16-bit cells that share a word with others in use.
__global__ void neighbours_in_a_word(unsigned short* cells) {
  unsigned short* const cell = &cells[threadIdx.x % 4];
  unsigned short seen = *cell, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(cell, assumed, static_cast<unsigned short>(assumed + 257));
  } while (seen != assumed);
}

CASE(sixteen_bit_neighbours_do_not_disturb_each_other) {
  Buffer<unsigned short> cells(4, static_cast<unsigned short>(0));
  neighbours_in_a_word<<<2, 128>>>(cells.ptr());
  EXPECT_EACH(cells, [](std::size_t) { return static_cast<unsigned short>(64 * 257); });
}

__device__ float atomic_max_float(float* address, float value) {
  int* const bits = reinterpret_cast<int*>(address);
  int seen = *bits, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (seen != assumed);
  return __int_as_float(seen);
}

__device__ double atomic_multiply(double* address, double value) {
  auto* const bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long seen = *bits, assumed;
  do {
    assumed = seen;
    const double product = value * __longlong_as_double(static_cast<long long>(assumed));
    seen = atomicCAS(bits, assumed, static_cast<unsigned long long>(__double_as_longlong(product)));
  } while (seen != assumed);
  return __longlong_as_double(static_cast<long long>(seen));
}

__global__ void float_max_and_double_product(const float* in, float* most, double* product) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomic_max_float(most, in[i]);
  atomic_multiply(product, i % 2 == 0 ? 2.0 : 0.5);
  if (i < 10) atomic_multiply(product, 3.0);
}

CASE(float_maximum_and_double_product_by_cas) {
  const std::vector<float> values = conformance::random_floats(256, -10, 10, 77);
  Buffer<float> in(values), most(1, -100.0f);
  Buffer<double> product(1, 1.0);
  float_max_and_double_product<<<4, 64>>>(in.ptr(), most.ptr(), product.ptr());
  EXPECT_EACH(most, [&](std::size_t) { return *std::max_element(values.begin(), values.end()); });
  EXPECT_EACH(product, [](std::size_t) { return 59049.0; });
}

// A key and its position packed in one word: the minimum keeps both together.
__global__ void packed_arg_min(const unsigned* keys, unsigned long long* best) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long mine = static_cast<unsigned long long>(keys[i]) << 32 | i;
  unsigned long long seen = *best;
  while (mine < seen) {
    const unsigned long long assumed = seen;
    seen = atomicCAS(best, assumed, mine);
    if (seen == assumed) break;
  }
}

CASE(arg_min_in_one_packed_word) {
  std::vector<unsigned> keys(300);
  for (unsigned i = 0; i < 300; ++i) keys[i] = 1000 + i * 7919 % 997;
  keys[123] = keys[260] = 4;
  Buffer<unsigned> in(keys);
  Buffer<unsigned long long> best(1, ~0ull);
  packed_arg_min<<<3, 100>>>(in.ptr(), best.ptr());
  EXPECT_EACH(best, [](std::size_t) { return 4ull << 32 | 123ull; });
}

// A stack of indices pushed by every thread at once: links in one array, the head in one word.
__global__ void push_all(int* head, int* next) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  int top = *head, assumed;
  do {
    assumed = top;
    next[node] = assumed;
    __threadfence();
    top = atomicCAS(head, assumed, node);
  } while (top != assumed);
}

CASE(linked_stack_holds_every_node_once) {
  constexpr int kNodes = 5 * 50;
  Buffer<int> head(1, -1), next(kNodes);
  push_all<<<5, 50>>>(head.ptr(), next.ptr());
  const std::vector<int> links = next.host();
  std::vector<int> seen(kNodes, 0);
  int node = head.host()[0], steps = 0;
  for (; node >= 0 && node < kNodes && steps < 2 * kNodes; node = links[node], ++steps) {
    ++seen[node];
  }
  EXPECT_EQ(steps, kNodes);
  EXPECT_EACH(seen, [](std::size_t) { return 1; });
}
