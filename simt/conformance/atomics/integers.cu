// Atomics on 32 and 64-bit integers in global memory: final value and returned old values.
#include <algorithm>

#include "../conformance.hpp"

using conformance::Buffer;

constexpr int kBlocks = 5, kThreads = 96, kTotal = kBlocks * kThreads;

template <class T>
__global__ void add_each(T* sum, T* old) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[i] = atomicAdd(sum, static_cast<T>(3));
}

// Old values of equal additions are all different: each thread saw its own step.
template <class T>
static void check_add(T start) {
  Buffer<T> sum(1, start), old(kTotal);
  add_each<<<kBlocks, kThreads>>>(sum.ptr(), old.ptr());
  EXPECT_EACH(sum, [=](std::size_t) { return static_cast<T>(start + static_cast<T>(3 * kTotal)); });
  std::vector<T> steps = old.host();
  for (T& step : steps) step = static_cast<T>(step - start);
  std::sort(steps.begin(), steps.end());
  EXPECT_EACH(steps, [](std::size_t i) { return static_cast<T>(3 * i); });
}

CASE(add_int) {
  check_add<int>(-700);
}
CASE(add_unsigned_wraps) {
  check_add<unsigned>(0xfffffff0u);
}
CASE(add_unsigned_long_long) {
  check_add<unsigned long long>(0xfffffffffull);
}

__global__ void subtract(int* a, unsigned* b) {
  atomicSub(a, static_cast<int>(threadIdx.x));
  atomicSub(b, 2u);
}

CASE(sub_int_and_unsigned) {
  Buffer<int> a(1, 10);
  Buffer<unsigned> b(1, 5u);
  subtract<<<kBlocks, kThreads>>>(a.ptr(), b.ptr());
  EXPECT_EACH(a, [](std::size_t) { return 10 - kBlocks * (kThreads * (kThreads - 1) / 2); });
  EXPECT_EACH(b, [](std::size_t) { return 5u - 2u * kTotal; });
}

template <class T>
__global__ void exchange_each(T* cell, T* old) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[i] = atomicExch(cell, static_cast<T>(i + 1));
}

// What was put in comes out exactly once: the old values and the last one are all the values.
template <class T>
static void check_exchange() {
  Buffer<T> cell(1, T{0}), old(kTotal);
  exchange_each<<<kBlocks, kThreads>>>(cell.ptr(), old.ptr());
  std::vector<T> all = old.host();
  all.push_back(cell.host()[0]);
  std::sort(all.begin(), all.end());
  EXPECT_EACH(all, [](std::size_t i) { return static_cast<T>(i); });
}

CASE(exchange_int) {
  check_exchange<int>();
}
CASE(exchange_unsigned) {
  check_exchange<unsigned>();
}
CASE(exchange_unsigned_long_long) {
  check_exchange<unsigned long long>();
}
CASE(exchange_float) {
  check_exchange<float>();
}

template <class T>
__global__ void extremes(const T* in, T* least, T* most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicMin(&least[i % 4], in[i]);
  atomicMax(&most[i % 4], in[i]);
}

template <class T>
static void check_extremes(T from, T to) {
  conformance::Random random(9);
  std::vector<T> values(kTotal);
  for (T& value : values) value = static_cast<T>(random.bits64());
  Buffer<T> in(values), least(4, from), most(4, to);
  extremes<<<kBlocks, kThreads>>>(in.ptr(), least.ptr(), most.ptr());
  std::vector<T> low(4, from), high(4, to);
  for (int i = 0; i < kTotal; ++i) {
    low[i % 4] = std::min(low[i % 4], values[i]);
    high[i % 4] = std::max(high[i % 4], values[i]);
  }
  EXPECT_EACH(least, [&](std::size_t i) { return low[i]; });
  EXPECT_EACH(most, [&](std::size_t i) { return high[i]; });
}

template <class T>
using Limits = std::numeric_limits<T>;

CASE(min_max_int) {
  check_extremes<int>(Limits<int>::max(), Limits<int>::min());
}
CASE(min_max_unsigned) {
  check_extremes<unsigned>(0xffffffffu, 0u);
}
CASE(min_max_long_long) {
  check_extremes<long long>(Limits<long long>::max(), Limits<long long>::min());
}
CASE(min_max_unsigned_long_long) {
  check_extremes<unsigned long long>(~0ull, 0ull);
}

__global__ void increment_modulo(unsigned* cell, unsigned* old, unsigned limit) {
  old[blockIdx.x * blockDim.x + threadIdx.x] = atomicInc(cell, limit);
}

CASE(inc_wraps_at_the_limit) {
  Buffer<unsigned> cell(1, 0u), old(kTotal);
  increment_modulo<<<kBlocks, kThreads>>>(cell.ptr(), old.ptr(), 6u);
  EXPECT_EACH(cell, [](std::size_t) { return static_cast<unsigned>(kTotal % 7); });
  std::vector<int> seen(7, 0);
  for (const unsigned value : old.host()) {
    EXPECT_TRUE(value < 7);
    if (value < 7) ++seen[value];
  }
  EXPECT_EACH(seen, [](std::size_t v) { return (kTotal - static_cast<int>(v) + 6) / 7; });
}

__global__ void decrement_modulo(unsigned* cell, unsigned limit) {
  atomicDec(cell, limit);
}

CASE(dec_wraps_and_clamps) {
  Buffer<unsigned> cell(1, 3u);
  decrement_modulo<<<1, 6>>>(cell.ptr(), 9u);  // 3 2 1 0 9 8 7
  EXPECT_EACH(cell, [](std::size_t) { return 7u; });
  Buffer<unsigned> above(1, 50u);
  decrement_modulo<<<1, 1>>>(above.ptr(), 9u);  // a value over the limit goes to the limit
  EXPECT_EACH(above, [](std::size_t) { return 9u; });
}

template <class T>
__global__ void bitwise(const T* in, T* all, T* some, T* parity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAnd(all, in[i]);
  atomicOr(some, in[i]);
  atomicXor(parity, in[i]);
}

template <class T>
static void check_bitwise() {
  conformance::Random random(31);
  std::vector<T> values(kTotal);
  T all = static_cast<T>(~T{0}), some = 0, parity = 0;
  for (T& value : values) {
    // Few ones in the value, few zeros in its complement: neither result degenerates.
    const auto bits = static_cast<T>(random.bits64());
    value = static_cast<T>((bits & 0x0f0f) | (static_cast<T>(0x55) << 16));
    all &= value;
    some |= value;
    parity ^= value;
  }
  Buffer<T> in(values), got_all(1, static_cast<T>(~T{0})), got_some(1, T{0}), got_parity(1, T{0});
  bitwise<<<kBlocks, kThreads>>>(in.ptr(), got_all.ptr(), got_some.ptr(), got_parity.ptr());
  EXPECT_EACH(got_all, [=](std::size_t) { return all; });
  EXPECT_EACH(got_some, [=](std::size_t) { return some; });
  EXPECT_EACH(got_parity, [=](std::size_t) { return parity; });
}

CASE(bitwise_int) {
  check_bitwise<int>();
}
CASE(bitwise_unsigned) {
  check_bitwise<unsigned>();
}
CASE(bitwise_unsigned_long_long) {
  check_bitwise<unsigned long long>();
}

__global__ void set_bits(unsigned* words, unsigned* old) {
  const int i = threadIdx.x;
  old[i] = atomicOr(&words[i / 32], 1u << (i % 32)) >> (i % 32) & 1u;
}

CASE(each_bit_is_set_by_one_thread) {
  Buffer<unsigned> words(8, 0u), old(256);
  set_bits<<<1, 256>>>(words.ptr(), old.ptr());
  EXPECT_EACH(words, [](std::size_t) { return 0xffffffffu; });
  EXPECT_EACH(old, [](std::size_t) { return 0u; });
}
