// Conversions between integers and floating point in every rounding mode, and reinterpretations.
// Only values that fit are converted to integers: outside the result is undefined.
#include "../conformance.hpp"
#include "../soft_float.hpp"

using conformance::Buffer;
using soft_float::Round;

constexpr Round kModes[4] = {Round::nearest_even, Round::toward_zero, Round::up, Round::down};

#define FOUR_MODES(kernel, From, To, convert)              \
  __global__ void kernel(const From* in, To* out, int n) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;   \
    if (i >= n) return;                                    \
    out[4 * i] = convert##_rn(in[i]);                      \
    out[4 * i + 1] = convert##_rz(in[i]);                  \
    out[4 * i + 2] = convert##_ru(in[i]);                  \
    out[4 * i + 3] = convert##_rd(in[i]);                  \
  }

FOUR_MODES(float_to_int, float, int, __float2int)
FOUR_MODES(float_to_uint, float, unsigned, __float2uint)
FOUR_MODES(float_to_ll, float, long long, __float2ll)
FOUR_MODES(float_to_ull, float, unsigned long long, __float2ull)
FOUR_MODES(double_to_int, double, int, __double2int)
FOUR_MODES(double_to_uint, double, unsigned, __double2uint)
FOUR_MODES(double_to_ll, double, long long, __double2ll)
FOUR_MODES(double_to_ull, double, unsigned long long, __double2ull)

static double to_whole(double x, Round mode) {
  const double below = std::floor(x), rest = x - below;
  if (rest == 0) return below;
  if (mode == Round::toward_zero) return x < 0 ? below + 1 : below;
  if (mode == Round::up) return below + 1;
  if (mode == Round::down || rest < 0.5) return below;
  return rest > 0.5 || std::fmod(below, 2) != 0 ? below + 1 : below;
}

/// Halves, thirds and large values that leave room for rounding either way.
template <class From, class To>
static std::vector<From> reals() {
  const double limit = std::ldexp(1.0, std::numeric_limits<To>::digits);
  std::vector<From> values{0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, static_cast<From>(0.49999997)};
  conformance::Random random(10);
  for (int bit = 1; bit < std::numeric_limits<To>::digits; ++bit) {
    for (int k = 0; k < 8; ++k) {
      values.push_back(static_cast<From>(std::ldexp(random.uniform(1, 1.9), bit)));
      values.push_back(
          static_cast<From>(std::floor(std::ldexp(random.uniform(1, 1.9), bit)) + 0.5));
    }
  }
  const std::size_t count = values.size();
  if (std::numeric_limits<To>::is_signed) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  }
  std::vector<From> fitting;
  for (const From value : values) {
    if (std::abs(static_cast<double>(value)) < limit - 1) fitting.push_back(value);
  }
  return fitting;
}

template <class From, class To>
static void check_to_integer(void (*kernel)(const From*, To*, int)) {
  const std::vector<From> values = reals<From, To>();
  const int n = static_cast<int>(values.size());
  Buffer<From> in(values);
  Buffer<To> out(4 * values.size());
  kernel<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    return static_cast<To>(to_whole(static_cast<double>(values[i / 4]), kModes[i % 4]));
  });
}

CASE(float_to_integers) {
  check_to_integer(float_to_int);
  check_to_integer(float_to_uint);
  check_to_integer(float_to_ll);
  check_to_integer(float_to_ull);
}

CASE(double_to_integers) {
  check_to_integer(double_to_int);
  check_to_integer(double_to_uint);
  check_to_integer(double_to_ll);
  check_to_integer(double_to_ull);
}

FOUR_MODES(int_to_float, int, float, __int2float)
FOUR_MODES(uint_to_float, unsigned, float, __uint2float)
FOUR_MODES(ll_to_float, long long, float, __ll2float)
FOUR_MODES(ull_to_float, unsigned long long, float, __ull2float)
FOUR_MODES(ll_to_double, long long, double, __ll2double)
FOUR_MODES(ull_to_double, unsigned long long, double, __ull2double)

/// An integer scaled by hand to the digits of the target. Exact: everything stays in integers.
template <class To, class Integer>
static To rounded(Integer value, Round mode) {
  bool negative = false;
  if constexpr (std::numeric_limits<Integer>::is_signed) negative = value < 0;
  auto magnitude = static_cast<std::uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  int drop = 0;
  while (magnitude >> drop >= 1ull << std::numeric_limits<To>::digits) ++drop;
  const std::uint64_t lost = magnitude & ((1ull << drop) - 1);
  std::uint64_t kept = magnitude >> drop;
  const double fraction = std::ldexp(static_cast<double>(lost), -drop);
  if (soft_float::rounds_away(mode, negative, fraction, (kept & 1) != 0)) ++kept;
  const To result = static_cast<To>(std::ldexp(static_cast<double>(kept), drop));
  return negative ? -result : result;
}

template <class Integer>
static std::vector<Integer> integers() {
  std::vector<Integer> values{
      0, 1, 2, 3, std::numeric_limits<Integer>::max(), std::numeric_limits<Integer>::min()};
  conformance::Random random(33);
  for (int bit = 20; bit < std::numeric_limits<Integer>::digits; ++bit) {
    for (int k = 0; k < 12; ++k) {
      const auto base = static_cast<Integer>(Integer{1} << bit);
      const auto low = static_cast<Integer>(random.bits64() % static_cast<std::uint64_t>(base));
      values.push_back(static_cast<Integer>(base + low));
      values.push_back(static_cast<Integer>(base + (low >> 8 << 8)));
      // A tie: the bit below the last kept digit of a float, alone.
      if (bit >= 25) values.push_back(static_cast<Integer>(base + (Integer{1} << (bit - 24))));
      if (bit >= 54) values.push_back(static_cast<Integer>(base + (Integer{1} << (bit - 53))));
    }
  }
  const std::size_t count = values.size();
  for (std::size_t i = 6; i < count; ++i) values.push_back(static_cast<Integer>(0 - values[i]));
  return values;
}

template <class Integer, class To>
static void check_from_integer(void (*kernel)(const Integer*, To*, int)) {
  const std::vector<Integer> values = integers<Integer>();
  const int n = static_cast<int>(values.size());
  Buffer<Integer> in(values);
  Buffer<To> out(4 * values.size());
  kernel<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) { return rounded<To>(values[i / 4], kModes[i % 4]); });
}

CASE(integers_to_float) {
  check_from_integer(int_to_float);
  check_from_integer(uint_to_float);
  check_from_integer(ll_to_float);
  check_from_integer(ull_to_float);
}

CASE(integers_to_double) {
  check_from_integer(ll_to_double);
  check_from_integer(ull_to_double);
}

__global__ void exact_doubles(double* out) {
  const int t = threadIdx.x;
  out[t] = __int2double_rn(t * 50000000 - 1000000000);
  out[32 + t] = __uint2double_rn(4294967295u - static_cast<unsigned>(t));
}

CASE(thirty_two_bit_integers_are_exact_doubles) {
  Buffer<double> out(64);
  exact_doubles<<<1, 32>>>(out.ptr());
  EXPECT_EACH(out, [](std::size_t i) {
    const double t = static_cast<double>(i % 32);
    return i < 32 ? t * 5e7 - 1e9 : 4294967295.0 - t;
  });
}

FOUR_MODES(double_to_float, double, float, __double2float)

CASE(double_to_float_in_four_modes) {
  std::vector<double> values{0.0, 1.0, 0.1, 1e300, -1e300, 1e-300, -1e-300, 0x1p-149, 0x1.8p-149};
  conformance::Random random(14);
  for (int i = 0; i < 2000; ++i) {
    const float near =
        static_cast<float>(std::ldexp(random.uniform(-2, 2), random.below(290) - 150));
    const double gap = conformance::ulp_at<float>(static_cast<double>(near));
    values.push_back(near);
    values.push_back(near + gap / 2);
    values.push_back(std::nextafter(near + gap / 2, 1e300));
    values.push_back(near + gap * random.uniform(0, 1));
  }
  const int n = static_cast<int>(values.size());
  Buffer<double> in(values);
  Buffer<float> out(4 * values.size());
  double_to_float<<<(n + 127) / 128, 128>>>(in.ptr(), out.ptr(), n);
  EXPECT_EACH(out, [&](std::size_t i) {
    return static_cast<float>(
        soft_float::round_to(soft_float::kFloat, values[i / 4], kModes[i % 4]));
  });
}

__global__ void reinterpret(const unsigned long long* in, unsigned long long* out) {
  const int i = threadIdx.x;
  const auto low = static_cast<unsigned>(in[i]);
  const double wide = __longlong_as_double(static_cast<long long>(in[i]));
  out[6 * i] = static_cast<unsigned>(__float_as_int(__int_as_float(static_cast<int>(low))));
  out[6 * i + 1] = __float_as_uint(__uint_as_float(low));
  out[6 * i + 2] = static_cast<unsigned long long>(__double_as_longlong(wide));
  out[6 * i + 3] = static_cast<unsigned>(__double2hiint(wide));
  out[6 * i + 4] = static_cast<unsigned>(__double2loint(wide));
  const double built = __hiloint2double(static_cast<int>(in[i] >> 32), static_cast<int>(low));
  out[6 * i + 5] = static_cast<unsigned long long>(__double_as_longlong(built));
}

// Numbers only: the bits of a NaN may change on their way through a register.
CASE(reinterpreting_keeps_every_bit) {
  std::vector<unsigned long long> values(64);
  conformance::Random random(15);
  for (unsigned long long& value : values) value = random.bits64() & ~(1ull << 52 | 1ull << 23);
  Buffer<unsigned long long> in(values), out(6 * 64);
  reinterpret<<<1, 64>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    const unsigned long long v = values[at / 6], low = v & 0xffffffffu;
    const unsigned long long want[6] = {low, low, v, v >> 32, low, v};
    return want[at % 6];
  });
}

__global__ void casts(const float* in, int* out) {
  const int i = threadIdx.x;
  out[4 * i] = static_cast<int>(in[i]);
  out[4 * i + 1] = static_cast<int>(static_cast<double>(in[i]));
  out[4 * i + 2] = static_cast<signed char>(in[i]);
  out[4 * i + 3] = in[i] != 0.0f ? 1 : 0;
}

CASE(casts_truncate) {
  const std::vector<float> values = conformance::random_floats(128, -100, 100, 16);
  Buffer<float> in(values);
  Buffer<int> out(4 * 128);
  casts<<<1, 128>>>(in.ptr(), out.ptr());
  EXPECT_EACH(out, [&](std::size_t at) {
    return at % 4 == 3 ? 1 : static_cast<int>(to_whole(values[at / 4], Round::toward_zero));
  });
}
