// Integer intrinsics that look at bits and bytes.
#include "../conformance.hpp"

using conformance::Buffer;

static std::vector<unsigned> words() {
  std::vector<unsigned> all{0u, 1u, 2u, 0x80000000u, 0xffffffffu, 0x7fffffffu, 0x00010000u};
  for (int bit = 0; bit < 32; ++bit) {
    all.push_back(1u << bit);
    all.push_back((1u << bit) - 1);
  }
  conformance::Random random(1);
  for (int i = 0; i < 100; ++i) all.push_back(random.bits() >> random.below(32));
  return all;
}

static std::vector<unsigned long long> long_words() {
  std::vector<unsigned long long> all{0ull, ~0ull, 1ull << 63};
  for (int bit = 0; bit < 64; ++bit) {
    all.push_back(1ull << bit);
    all.push_back((1ull << bit) - 1);
  }
  conformance::Random random(2);
  for (int i = 0; i < 100; ++i) all.push_back(random.bits64() >> random.below(64));
  return all;
}

__global__ void count_bits(const unsigned* in, int* out, unsigned* reversed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __popc(in[i]);
  out[n + i] = __clz(static_cast<int>(in[i]));
  out[2 * n + i] = __ffs(static_cast<int>(in[i]));
  reversed[i] = __brev(in[i]);
}

template <class Word>
static int count(Word word) {
  int ones = 0;
  for (; word != 0; word >>= 1) ones += static_cast<int>(word & 1);
  return ones;
}

template <class Word>
static int leading_zeros(Word word) {
  int zeros = std::numeric_limits<Word>::digits;
  for (; word != 0; word >>= 1) --zeros;
  return zeros;
}

template <class Word>
static int first_set(Word word) {
  for (int bit = 0; bit < std::numeric_limits<Word>::digits; ++bit) {
    if ((word >> bit & 1) != 0) return bit + 1;
  }
  return 0;
}

template <class Word>
static Word reverse(Word word) {
  Word result = 0;
  for (int bit = 0; bit < std::numeric_limits<Word>::digits; ++bit) {
    result = static_cast<Word>(result << 1 | (word >> bit & 1));
  }
  return result;
}

CASE(popc_clz_ffs_brev) {
  const std::vector<unsigned> values = words();
  const int n = static_cast<int>(values.size());
  Buffer<unsigned> in(values), reversed(values.size());
  Buffer<int> out(3 * values.size());
  count_bits<<<(n + 63) / 64, 64>>>(in.ptr(), out.ptr(), reversed.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    const unsigned word = values[i % n];
    return i / n == 0 ? count(word) : i / n == 1 ? leading_zeros(word) : first_set(word);
  });
  EXPECT_EACH(reversed, [&](std::size_t i) { return reverse(values[i]); });
}

__global__ void count_long_bits(const unsigned long long* in, int* out,
                                unsigned long long* reversed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __popcll(in[i]);
  out[n + i] = __clzll(static_cast<long long>(in[i]));
  out[2 * n + i] = __ffsll(static_cast<long long>(in[i]));
  reversed[i] = __brevll(in[i]);
}

CASE(popcll_clzll_ffsll_brevll) {
  const std::vector<unsigned long long> values = long_words();
  const int n = static_cast<int>(values.size());
  Buffer<unsigned long long> in(values), reversed(values.size());
  Buffer<int> out(3 * values.size());
  count_long_bits<<<(n + 63) / 64, 64>>>(in.ptr(), out.ptr(), reversed.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    const unsigned long long word = values[i % n];
    return i / n == 0 ? count(word) : i / n == 1 ? leading_zeros(word) : first_set(word);
  });
  EXPECT_EACH(reversed, [&](std::size_t i) { return reverse(values[i]); });
}

__global__ void permute(const unsigned* selectors, unsigned* out) {
  out[threadIdx.x] = __byte_perm(0x33221100u, 0x77665544u, selectors[threadIdx.x]);
}

CASE(byte_perm) {
  std::vector<unsigned> selectors{0x3210u, 0x7654u, 0x0123u, 0x4567u, 0x0000u, 0x7777u, 0x5140u};
  conformance::Random random(3);
  while (selectors.size() < 128) selectors.push_back(random.bits() & 0x7777u);
  Buffer<unsigned> in(selectors), out(128);
  permute<<<1, 128>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t i) {
    unsigned result = 0;
    for (int byte = 0; byte < 4; ++byte) {
      result |= (selectors[i] >> (4 * byte) & 7u) * 0x11u << (8 * byte);
    }
    return result;
  });
}

__global__ void funnel(unsigned* out) {
  const unsigned low = 0x89abcdefu, high = 0x01234567u;
  const unsigned shift = threadIdx.x;
  out[4 * shift] = __funnelshift_l(low, high, shift);
  out[4 * shift + 1] = __funnelshift_r(low, high, shift);
  out[4 * shift + 2] = __funnelshift_lc(low, high, shift);
  out[4 * shift + 3] = __funnelshift_rc(low, high, shift);
}

// The plain forms use the shift modulo 32, the c forms stop at 32.
CASE(funnel_shifts) {
  Buffer<unsigned> out(4 * 70);
  funnel<<<1, 70>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const unsigned long long both = 0x0123456789abcdefull;
    const unsigned shift = static_cast<unsigned>(i / 4);
    const unsigned wrapped = shift % 32, clamped = shift < 32 ? shift : 32;
    const unsigned used = i % 4 < 2 ? wrapped : clamped;
    return i % 2 == 0 ? static_cast<unsigned>(both << used >> 32)
                      : static_cast<unsigned>(both >> used);
  });
}

__global__ void nth_set_bit(unsigned* out) {
  const unsigned mask = 0b10110010u;
  out[threadIdx.x] = __fns(mask, 0, static_cast<int>(threadIdx.x) + 1);
  out[32 + threadIdx.x] = __fns(mask, 7, -static_cast<int>(threadIdx.x) - 1);
}

CASE(find_nth_set) {
  Buffer<unsigned> out(64);
  nth_set_bit<<<1, 32>>>(out.ptr());
  const unsigned places[4] = {1, 4, 5, 7};
  EXPECT_EACH(out, [&](std::size_t i) {
    if (i % 32 >= 4) return 0xffffffffu;
    return i < 32 ? places[i] : places[3 - i % 32];
  });
}

__global__ void host_and_device_bits(unsigned* out) {
  const unsigned i = threadIdx.x;
  out[i] = (i << 5 | i >> 3) ^ ~i;
  out[64 + i] = static_cast<unsigned>(-static_cast<int>(i) >> 1);
  out[128 + i] = static_cast<unsigned>(static_cast<signed char>(i * 5)) % 1000u;
}

CASE(shifts_and_narrow_types) {
  Buffer<unsigned> out(192);
  host_and_device_bits<<<1, 64>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t at) {
    const long long i = static_cast<long long>(at % 64);
    if (at < 64) return static_cast<unsigned>((i * 32 | i / 8) ^ (0xffffffffll - i));
    if (at < 128) return static_cast<unsigned>(-((i + 1) / 2));
    const long long byte = i * 5 % 256;
    const long long wide = byte < 128 ? byte : 0x100000000ll + byte - 256;
    return static_cast<unsigned>(wide % 1000);
  });
}
