#pragma once

// What is computed of tensors element by element, for the GPU and for the processor: the same
// source, compiled by NVRTC and by the host's compiler, so that both give the same bits. Sums and
// products go through plus and times, which no compiler may fuse.

#include "both.hpp"
#include "scene.hpp"

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ASSAY_WORK __device__ inline
#else
#define ASSAY_WORK inline
#endif

namespace assay::work {

using both::Wide;
using both::Word;

/// The elements' types, in the order of DType.
enum class Kind : Word {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean,
};

ASSAY_BOTH bool is_floating(Kind kind) {
  return kind <= Kind::float8_e5m2;
}

ASSAY_BOTH Word size_of(Kind kind) {
  switch (kind) {
    case Kind::float64:
    case Kind::int64:
    case Kind::uint64:
      return 8;
    case Kind::float32:
    case Kind::int32:
    case Kind::uint32:
      return 4;
    case Kind::float16:
    case Kind::bfloat16:
    case Kind::int16:
    case Kind::uint16:
      return 2;
    default:
      return 1;
  }
}

// --- numbers and their bits ---------------------------------------------------------------------

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
ASSAY_WORK Wide bits_of(double value) {
  return static_cast<Wide>(__double_as_longlong(value));
}
ASSAY_WORK double double_of(Wide bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}
ASSAY_WORK Word bits_of(float value) {
  return __float_as_uint(value);
}
ASSAY_WORK float float_of(Word bits) {
  return __uint_as_float(bits);
}
ASSAY_WORK double times(double a, double b) {
  return __dmul_rn(a, b);
}
ASSAY_WORK double plus(double a, double b) {
  return __dadd_rn(a, b);
}
ASSAY_WORK double whole_near(double value) {
  return round(value);
}
ASSAY_WORK double whole_below(double value) {
  return floor(value);
}
ASSAY_WORK double root(double value) {
  return sqrt(value);
}
#else
ASSAY_WORK Wide bits_of(double value) {
  return __builtin_bit_cast(Wide, value);
}
ASSAY_WORK double double_of(Wide bits) {
  return __builtin_bit_cast(double, bits);
}
ASSAY_WORK Word bits_of(float value) {
  return __builtin_bit_cast(Word, value);
}
ASSAY_WORK float float_of(Word bits) {
  return __builtin_bit_cast(float, bits);
}
ASSAY_WORK double times(double a, double b) {
  return a * b;
}
ASSAY_WORK double plus(double a, double b) {
  return a + b;
}
ASSAY_WORK double whole_near(double value) {
  return __builtin_round(value);
}
ASSAY_WORK double whole_below(double value) {
  return __builtin_floor(value);
}
ASSAY_WORK double root(double value) {
  return __builtin_sqrt(value);
}
#endif

inline constexpr Wide kSign = 0x8000000000000000ULL;
inline constexpr Wide kExponent = 0x7FF0000000000000ULL;
inline constexpr int kFractionBits = 52;

ASSAY_WORK double size_of_number(double value) {
  return double_of(bits_of(value) & ~kSign);
}
ASSAY_WORK bool is_nan(double value) {
  return (bits_of(value) & ~kSign) > kExponent;
}
ASSAY_WORK bool is_finite(double value) {
  return (bits_of(value) & kExponent) != kExponent;
}
ASSAY_WORK double with_sign_of(double size, double sign) {
  return double_of((bits_of(size) & ~kSign) | (bits_of(sign) & kSign));
}
ASSAY_WORK double infinity() {
  return double_of(kExponent);
}

/// Rounds once, to nearest even, to a format with `kMantissaBits` stored bits, and packs it.
template <Word kMantissaBits, Word kExponentBits>
ASSAY_WORK Word packed_half(double value) {
  constexpr int kMinExponent = 2 - (1 << (kExponentBits - 1U));
  constexpr Word kInfinity = ((1U << kExponentBits) - 1U) << kMantissaBits;
  const Wide bits = bits_of(value);
  const Word sign = static_cast<Word>(bits >> 48U) & 0x8000U;
  const Wide fraction = bits & ((Wide{1} << kFractionBits) - 1U);
  const int field = static_cast<int>(bits >> kFractionBits) & 0x7FF;
  if (field == 0x7FF) {
    return sign | kInfinity | (fraction == 0 ? 0U : 1U << (kMantissaBits - 1U));
  }
  const int exponent = field - 1023;
  if (exponent > -kMinExponent + 1) return sign | kInfinity;
  // Steps of the format at this exponent; below the least one the steps stay as large as there.
  // A double too small for 63 bits of shift is less than half a step, as are its subnormals.
  const Word below = exponent < kMinExponent ? static_cast<Word>(kMinExponent - exponent) : 0;
  const Word shift = kFractionBits - kMantissaBits + below;
  if (shift > 62) return sign;
  const Wide mantissa = fraction | (Wide{1} << kFractionBits);
  const Wide half_less_one = (Wide{1} << (shift - 1U)) - 1U;
  const Wide steps = (mantissa + half_less_one + ((mantissa >> shift) & 1U)) >> shift;
  // Rounding up to the next power of two carries into the exponent by itself.
  const Word scale = below == 0 ? static_cast<Word>(exponent - kMinExponent) << kMantissaBits : 0;
  const Word packed = scale + static_cast<Word>(steps);
  return sign | (packed >= kInfinity ? kInfinity : packed);
}

ASSAY_WORK float float_of_half(Word bits) {
  const Word sign = (bits & 0x8000U) << 16U;
  const Word exponent = (bits >> 10U) & 0x1FU;
  const Word mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    const float size = static_cast<float>(mantissa) * 0x1p-24F;  // the step of subnormals
    return sign == 0 ? size : -size;
  }
  const Word rebiased = exponent == 0x1FU ? 0xFFU : exponent + 112U;
  return float_of(sign | (rebiased << 23U) | (mantissa << 13U));
}

// The two 8-bit floats of machine learning. E5M2 is the upper half of a binary16. E4M3FN has no
// infinities: its largest pattern is NaN, and what is too large becomes NaN, as in torch.

ASSAY_WORK double number_of_e4m3fn(Word bits) {
  if ((bits & 0x7FU) == 0x7FU) return double_of(kExponent | (Wide{1} << (kFractionBits - 1)));
  const Word exponent = (bits >> 3U) & 0xFU;
  const Word steps = exponent == 0 ? bits & 0x7U : (8U + (bits & 0x7U)) << (exponent - 1U);
  const double size = steps * 0x1p-9;  // the step of subnormals
  return (bits & 0x80U) == 0 ? size : -size;
}

ASSAY_WORK Word packed_e4m3fn(double value) {
  constexpr Word kNan = 0x7F;
  const Word sign = (bits_of(value) & kSign) != 0 ? 0x80U : 0U;
  if (!is_finite(value)) return sign | kNan;
  // packed_half keeps the largest exponent for infinities. Large numbers are packed as a quarter,
  // which is exact, and the exponent is put back.
  const double size = size_of_number(value);
  if (size < 128) return sign | (packed_half<3, 4>(size) & 0x7FU);
  const Word packed = (packed_half<3, 4>(size / 4) & 0x7FU) + (2U << 3U);
  return sign | (packed >= kNan ? kNan : packed);
}

ASSAY_WORK double number_of_e5m2(Word bits) {
  return static_cast<double>(float_of_half(bits << 8U));
}

ASSAY_WORK Word packed_e5m2(double value) {
  const Word packed = packed_half<2, 5>(value);
  return (packed >> 8U & 0x80U) | (packed & 0x7FU);
}

// --- elements -----------------------------------------------------------------------------------

template <class Bits>
ASSAY_WORK Bits load(const void* array, Wide i) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  return static_cast<const Bits*>(array)[i];
#else
  Bits bits;
  __builtin_memcpy(&bits, static_cast<const char*>(array) + i * sizeof(Bits), sizeof(Bits));
  return bits;
#endif
}

template <class Bits>
ASSAY_WORK void store(void* array, Wide i, Wide value) {
  const Bits bits = static_cast<Bits>(value);
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  static_cast<Bits*>(array)[i] = bits;
#else
  __builtin_memcpy(static_cast<char*>(array) + i * sizeof(Bits), &bits, sizeof(Bits));
#endif
}

/// The bits of one element, as an unsigned number.
ASSAY_WORK Wide raw(Kind kind, const void* array, Wide i) {
  switch (size_of(kind)) {
    case 8:
      return load<Wide>(array, i);
    case 4:
      return load<Word>(array, i);
    case 2:
      return load<unsigned short>(array, i);
    default:
      return load<unsigned char>(array, i);
  }
}

ASSAY_WORK void store_raw(Kind kind, void* array, Wide i, Wide bits) {
  switch (size_of(kind)) {
    case 8:
      return store<Wide>(array, i, bits);
    case 4:
      return store<Word>(array, i, bits);
    case 2:
      return store<unsigned short>(array, i, bits);
    default:
      return store<unsigned char>(array, i, bits);
  }
}

/// Signed integers with their sign, as 64 bits.
ASSAY_WORK Wide widened(Kind kind, Wide bits) {
  switch (kind) {
    case Kind::int32:
      return static_cast<Wide>(static_cast<long long>(static_cast<int>(bits)));
    case Kind::int16:
      return static_cast<Wide>(static_cast<long long>(static_cast<short>(bits)));
    case Kind::int8:
      return static_cast<Wide>(static_cast<long long>(static_cast<signed char>(bits)));
    default:
      return bits;
  }
}

ASSAY_WORK bool is_signed(Kind kind) {
  return kind >= Kind::int64 && kind <= Kind::int8;
}

ASSAY_WORK double number(Kind kind, Wide bits) {
  switch (kind) {
    case Kind::float64:
      return double_of(bits);
    case Kind::float32:
      return static_cast<double>(float_of(static_cast<Word>(bits)));
    case Kind::float16:
      return static_cast<double>(float_of_half(static_cast<Word>(bits)));
    case Kind::bfloat16:
      return static_cast<double>(float_of(static_cast<Word>(bits) << 16U));
    case Kind::float8_e4m3fn:
      return number_of_e4m3fn(static_cast<Word>(bits));
    case Kind::float8_e5m2:
      return number_of_e5m2(static_cast<Word>(bits));
    default:
      return is_signed(kind) ? static_cast<double>(static_cast<long long>(widened(kind, bits)))
                             : static_cast<double>(bits);
  }
}

ASSAY_WORK double read(Kind kind, const void* array, Wide i) {
  return number(kind, raw(kind, array, i));
}

/// Stores a number as a float of any format.
ASSAY_WORK void write_float(Kind kind, void* array, Wide i, double value) {
  switch (kind) {
    case Kind::float64:
      return store_raw(kind, array, i, bits_of(value));
    case Kind::float32:
      return store_raw(kind, array, i, bits_of(static_cast<float>(value)));
    case Kind::float16:
      return store_raw(kind, array, i, packed_half<10, 5>(value));
    case Kind::float8_e4m3fn:
      return store_raw(kind, array, i, packed_e4m3fn(value));
    case Kind::float8_e5m2:
      return store_raw(kind, array, i, packed_e5m2(value));
    default:
      return store_raw(kind, array, i, packed_half<7, 8>(value));
  }
}

/// Held to the range of integers of `bits` bits, and cut towards zero.
ASSAY_WORK Wide integer_of(double value, bool is_signed, Word bits) {
  if (is_nan(value)) return 0;
  const Wide top = Wide{1} << (bits - 1U);
  const double limit = static_cast<double>(top);  // a power of two: exact
  if (is_signed) {
    if (value <= -limit) return Wide{0} - top;
    return value >= limit ? top - 1 : static_cast<Wide>(static_cast<long long>(value));
  }
  if (value <= 0) return 0;
  return value >= 2 * limit ? top + (top - 1) : static_cast<Wide>(value);
}

/// Stores a number: floats rounded to nearest even, integers truncated towards zero and held to
/// their range, booleans true unless zero.
ASSAY_WORK void write(Kind kind, void* array, Wide i, double value) {
  if (is_floating(kind)) return write_float(kind, array, i, value);
  if (kind == Kind::boolean) return store_raw(kind, array, i, value != 0 ? 1 : 0);
  store_raw(kind, array, i, integer_of(value, is_signed(kind), 8 * size_of(kind)));
}

// --- memory -------------------------------------------------------------------------------------

inline constexpr Word kNoPattern = ~0U;

/// Two bytes over and over; the low one first.
struct FillTask {
  void* to;
  Wide size;
  Word pattern;
};

struct SameTask {
  const void* a;
  const void* b;
  Wide size;
};

/// Whether an element still is the pattern that filled the array.
ASSAY_WORK bool is_pattern(Kind kind, Wide bits, Wide i, Word pattern) {
  if (pattern == kNoPattern) return false;
  switch (size_of(kind)) {
    case 8:
      return bits == pattern * 0x0001000100010001ULL;
    case 4:
      return bits == pattern * 0x00010001ULL;
    case 2:
      return bits == pattern;
    default:
      return bits == (i % 2 == 0 ? pattern & 0xFFU : pattern >> 8U);
  }
}

// --- comparison ---------------------------------------------------------------------------------

/// How far an element may be from the expected one.
struct Bound {
  double atol;
  double rtol;
  const void* precise;  // the expected output in float64; null where unknown
  Word equal_nan;
};

inline constexpr double kOwnError = 4;  // times what the expected element is off by itself

ASSAY_WORK double allowed_at(double want, Wide i, const Bound& bound) {
  const double allowed = plus(bound.atol, times(bound.rtol, size_of_number(want)));
  if (bound.precise == nullptr) return allowed;
  const double off = size_of_number(plus(want, -double_of(load<Wide>(bound.precise, i))));
  return is_finite(off) ? plus(allowed, times(kOwnError, off)) : allowed;
}

/// The part of its limit that the difference of one element takes; up to 1 they agree.
ASSAY_WORK double part_used(double got, double want, Wide i, const Bound& bound) {
  constexpr double kJustOver = 1 + 0x1p-52;
  if (got == want) return 0;  // infinities of one sign too
  if (bound.equal_nan != 0 && is_nan(got) && is_nan(want)) return 0;
  if (!is_finite(got) || !is_finite(want)) return infinity();
  const double allowed = allowed_at(want, i, bound);
  const double difference = size_of_number(plus(got, -want));
  const double part = difference / allowed;
  if (difference <= allowed) return part;
  return part > kJustOver ? part : kJustOver;
}

/// As integers: past 2^53 neighbours are the same double.
ASSAY_WORK double difference_of_integers(Kind kind, Wide got, Wide want) {
  const Wide a = widened(kind, got);
  const Wide b = widened(kind, want);
  const bool less = is_signed(kind) ? static_cast<long long>(a) < static_cast<long long>(b) : a < b;
  return static_cast<double>(less ? b - a : a - b);
}

struct CompareTask {
  const void* got;
  const void* want;
  Wide count;
  Kind kind;
  Bound bound;
  Word got_before;  // the pattern that filled it, or kNoPattern
  Word want_before;
};

inline constexpr Wide kStretch = 65536;  // elements that are compared together
/// Sums of a stretch: element i goes to lane i % kLanes, and lanes are then added by halves.
inline constexpr Word kLanes = 256;

/// What came of one stretch.
struct Stretch {
  Wide mismatches;
  Wide unwritten;
  Wide wanted_unwritten;
  Wide nans;
  Wide wanted_nans;
  Wide first;   // that does not agree
  double max;   // of differences; NaN where one is
  double used;  // the largest
  double sum;   // of differences
};

ASSAY_WORK Stretch nothing_found() {
  Stretch found{};
  found.first = ~Wide{0};
  return found;
}

/// Returns the difference, which the caller adds to the sum of its lane. `kind` is the task's.
ASSAY_WORK double compare_element(Kind kind, const CompareTask& task, Wide i, Stretch& found) {
  const Wide got = raw(kind, task.got, i);
  const Wide want = raw(kind, task.want, i);
  double difference = 0;
  double used = 0;
  if (is_floating(kind)) {
    const double a = number(kind, got);
    const double b = number(kind, want);
    difference = a == b ? 0.0 : size_of_number(plus(a, -b));
    used = part_used(a, b, i, task.bound);
  } else if (got != want) {
    difference = difference_of_integers(kind, got, want);
    used = infinity();
  }
  if (difference > found.max || is_nan(difference)) found.max = difference;
  if (used > found.used) found.used = used;
  if (used <= 1 && !is_nan(difference)) return difference;
  const bool got_unwritten = is_pattern(kind, got, i, task.got_before);
  const bool want_unwritten = is_pattern(kind, want, i, task.want_before);
  const bool nobody_wrote = got_unwritten && want_unwritten && task.got_before != task.want_before;
  if (used <= 1 && !nobody_wrote) return difference;
  const bool want_nan = !want_unwritten && is_floating(kind) && is_nan(number(kind, want));
  if (got_unwritten) ++found.unwritten;
  if (want_unwritten) ++found.wanted_unwritten;
  if (want_nan) ++found.wanted_nans;
  if (!got_unwritten && !want_nan && is_floating(kind) && is_nan(number(kind, got))) ++found.nans;
  if (found.mismatches++ == 0) found.first = i;
  return difference;
}

/// Adds what another part of the same stretch found, but for the sums.
ASSAY_WORK void add_part(Stretch& total, const Stretch& part) {
  total.mismatches += part.mismatches;
  total.unwritten += part.unwritten;
  total.wanted_unwritten += part.wanted_unwritten;
  total.nans += part.nans;
  total.wanted_nans += part.wanted_nans;
  if (part.first < total.first) total.first = part.first;
  if (!is_nan(total.max) && (part.max > total.max || is_nan(part.max))) total.max = part.max;
  if (part.used > total.used) total.used = part.used;
}

// --- answers that are no work -------------------------------------------------------------------

enum class Shortcut : Word { constant, other_array, fewer_bits };

struct ShortcutTask {
  const void* want;
  const void* other;  // of the same kind
  Wide count;
  Kind kind;
  Bound bound;
  Shortcut shortcut;
  double constant;
  Word bits;  // of significand that are left
};

struct ShortcutFound {
  Wide failures = 0;  // elements that do not agree
  Wide changed = 0;   // elements that have fewer bits now
};

/// Rounded to nearest even at so many bits of significand.
ASSAY_WORK double rounded_to(double value, Word significant) {
  if ((bits_of(value) & ~kSign) == 0 || !is_finite(value)) return value;
  const bool tiny = (bits_of(value) & kExponent) == 0;  // brought up first, and down again
  const Wide bits = bits_of(tiny ? times(value, 0x1p64) : value);
  const Word dropped = static_cast<Word>(kFractionBits + 1) - significant;
  const Wide half_less_one = (Wide{1} << (dropped - 1U)) - 1U;
  const Wide up = bits + half_less_one + ((bits >> dropped) & 1U);
  const double rounded = double_of(up & ~((Wide{1} << dropped) - 1U));
  return tiny ? times(rounded, 0x1p-64) : rounded;
}

ASSAY_WORK void try_shortcut(Kind kind, const ShortcutTask& task, Wide i, ShortcutFound& found) {
  const Wide bits = raw(kind, task.want, i);
  const double want = number(kind, bits);
  double got = task.constant;
  if (task.shortcut == Shortcut::other_array) {
    const Wide other = raw(kind, task.other, i);
    if (!is_floating(kind)) {
      if (other != bits) ++found.failures;
      return;
    }
    got = number(kind, other);
  } else if (task.shortcut == Shortcut::fewer_bits) {
    got = rounded_to(want, task.bits);
    if (got != want) ++found.changed;
  }
  if (part_used(got, want, i, task.bound) > 1) ++found.failures;
}

// --- samples ------------------------------------------------------------------------------------

/// Every `step`-th element as a number.
struct GatherTask {
  const void* from;
  Wide count;  // of numbers
  Wide step;
  Kind kind;
};

// --- random numbers -----------------------------------------------------------------------------

struct Four {
  Word x[4];
};

/// Philox 4x32 with ten rounds (Salmon et al., 2011): block `counter` of the stream `key`. Any
/// element can be made without making those before it.
ASSAY_BOTH Four philox(Wide key, Wide counter) {
  Four block{{static_cast<Word>(counter), static_cast<Word>(counter >> 32U), 0, 0}};
  Word key0 = static_cast<Word>(key);
  Word key1 = static_cast<Word>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    const Wide product0 = Wide{0xD2511F53U} * block.x[0];
    const Wide product1 = Wide{0xCD9E8D57U} * block.x[2];
    block = {{static_cast<Word>(product1 >> 32U) ^ block.x[1] ^ key0, static_cast<Word>(product1),
              static_cast<Word>(product0 >> 32U) ^ block.x[3] ^ key1, static_cast<Word>(product0)}};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return block;
}

/// In [0, 1), with 53 random bits.
ASSAY_WORK double unit(Word high, Word low) {
  const Wide bits = (Wide{high} << 21U) ^ (low >> 11U);
  return static_cast<double>(bits & ((Wide{1} << 53U) - 1)) * 0x1p-53;
}

/// The sum of c[0] + c[1] z + c[2] z^2 + ...
template <int kCount>
ASSAY_WORK double polynomial(const double (&c)[kCount], double z) {
  double sum = c[kCount - 1];
  for (int i = kCount - 2; i >= 0; --i) sum = plus(c[i], times(sum, z));
  return sum;
}

/// The natural logarithm of a number between 0 and 1 that is not subnormal. No library's: they
/// differ in their last bits.
ASSAY_WORK double log_of(double value) {
  const double kSeries[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                            1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
  constexpr double kRootOfTwo = 1.4142135623730951;
  constexpr double kLogOfTwo = 0.6931471805599453;
  int exponent = static_cast<int>(bits_of(value) >> kFractionBits) - 1023;
  double part =
      double_of((bits_of(value) & ((Wide{1} << kFractionBits) - 1)) | 0x3FF0000000000000ULL);
  if (part > kRootOfTwo) {
    part = part / 2;
    ++exponent;
  }
  const double s = plus(part, -1) / plus(part, 1);
  return plus(times(exponent, kLogOfTwo), times(2 * s, polynomial(kSeries, times(s, s))));
}

struct Point {
  double cosine;
  double sine;
};

/// On the unit circle, `turn` / 2^32 of the way round.
ASSAY_WORK Point on_circle(Word turn) {
  const double kCosine[] = {1.0,
                            -1.0 / 2,
                            1.0 / 24,
                            -1.0 / 720,
                            1.0 / 40320,
                            -1.0 / 3628800,
                            1.0 / 479001600.0,
                            -1.0 / 87178291200.0,
                            1.0 / 20922789888000.0};
  const double kSine[] = {1.0,
                          -1.0 / 6,
                          1.0 / 120,
                          -1.0 / 5040,
                          1.0 / 362880,
                          -1.0 / 39916800.0,
                          1.0 / 6227020800.0,
                          -1.0 / 1307674368000.0,
                          1.0 / 355687428096000.0};
  constexpr double kStep = 1.4629180792671596e-09;  // 2 pi / 2^32
  const Word quarter = (turn + 0x20000000U) >> 30U;
  const int rest = static_cast<int>(turn - (quarter << 30U));
  const double angle = times(rest, kStep);
  const double z = times(angle, angle);
  const double c = polynomial(kCosine, z);
  const double s = times(angle, polynomial(kSine, z));
  switch (quarter % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

enum class Content : Word { steps, normal, uniform, integers };

struct GenerateTask {
  void* array;
  Wide count;
  Kind kind;
  Content content;
  double first;   // steps: the first number; normal: the mean; else the least
  double second;  // steps: from one to the next; normal: the deviation; uniform: the end; integers:
                  // how many
  Wide seed;
};

/// Elements that one block of random bits makes.
ASSAY_BOTH Word elements_of_block(Content content) {
  switch (content) {
    case Content::normal:
      return 4;
    case Content::steps:
      return 1;
    default:
      return 2;
  }
}

ASSAY_WORK void generate_uniform(Kind kind, const GenerateTask& task, Wide i, double u) {
  if (i >= task.count) return;
  if (task.content == Content::integers) {
    return write(kind, task.array, i, plus(task.first, whole_below(times(u, task.second))));
  }
  write(kind, task.array, i, plus(task.first, times(u, plus(task.second, -task.first))));
  // Rounding to a narrow format can reach the open end.
  if (task.first < task.second && read(kind, task.array, i) >= task.second) {
    write(kind, task.array, i, task.first);
  }
}

ASSAY_WORK void generate_normal(Kind kind, const GenerateTask& task, Wide i, Word radius_bits,
                                Word turn) {
  if (i >= task.count) return;
  const double u = plus(radius_bits, 0.5) * 0x1p-32;
  const double radius = times(task.second, root(times(-2, log_of(u))));
  const Point point = on_circle(turn);
  write(kind, task.array, i, plus(task.first, times(radius, point.cosine)));
  if (i + 1 < task.count) {
    write(kind, task.array, i + 1, plus(task.first, times(radius, point.sine)));
  }
}

ASSAY_WORK void generate_block(Kind kind, const GenerateTask& task, Wide block) {
  if (task.content == Content::steps) {
    const double steps = times(static_cast<double>(block), task.second);
    return write(kind, task.array, block, plus(task.first, steps));
  }
  const Four bits = philox(task.seed, block);
  if (task.content == Content::normal) {
    generate_normal(kind, task, 4 * block, bits.x[0], bits.x[1]);
    return generate_normal(kind, task, 4 * block + 2, bits.x[2], bits.x[3]);
  }
  generate_uniform(kind, task, 2 * block, unit(bits.x[0], bits.x[1]));
  generate_uniform(kind, task, 2 * block + 1, unit(bits.x[2], bits.x[3]));
}

// --- other inputs -------------------------------------------------------------------------------

enum class Pattern : Word { own, heavy_tailed, sparse, sorted, constant_rows, ties, extremes };
enum class Spread : Word { own, small, large, shifted, large_shifted };

inline constexpr double kLarge = 6;         // exp() of some of these is still finite in float32
inline constexpr double kSmall = 1.0 / 16;  // no subnormals of float16 from a square
inline constexpr double kShift = 3;         // of the root mean square
inline constexpr double kFarthest = 8;      // the same, of heavy tails and extremes

ASSAY_BOTH Wide mixed(Wide value, Wide seed) {
  value = (value ^ seed) * 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 31U)) * 0xBF58476D1CE4E5B9ULL;
  return value ^ (value >> 29U);
}

ASSAY_WORK double patterned(Pattern pattern, double value, double rms, Wide chance) {
  switch (pattern) {
    case Pattern::heavy_tailed: {
      const double part = size_of_number(value) / rms;
      const double far = part * part * part / 2;
      return with_sign_of(rms * (far < kFarthest ? far : kFarthest), value);
    }
    case Pattern::sparse:
      return chance % 4 == 0 ? value : 0;
    case Pattern::ties:
      return whole_near(2 * value / rms) * rms / 2;
    case Pattern::extremes:
      return chance % 64 == 0 ? with_sign_of(kFarthest * rms, value) : value;
    default:
      return value;
  }
}

ASSAY_WORK double spread_out(Spread spread, double value, double rms) {
  switch (spread) {
    case Spread::small:
      return value * kSmall;
    case Spread::large:
      return value * kLarge;
    case Spread::shifted:
      return plus(value, times(kShift, rms));
    case Spread::large_shifted:
      return times(kLarge, plus(value, times(kShift, rms)));
    default:
      return value;
  }
}

struct TransformTask {
  void* array;
  Wide count;
  Kind kind;
  Pattern pattern;
  Spread spread;
  double rms;
  Wide seed;
};

ASSAY_WORK double transformed(const TransformTask& task, double value) {
  if (value == 0) return value;
  value = patterned(task.pattern, value, task.rms, mixed(bits_of(value), task.seed));
  return value == 0 ? value : spread_out(task.spread, value, task.rms);
}

/// Rows of `width` elements, of which some become one number throughout.
struct RowsTask {
  void* array;
  Wide rows;
  Wide width;
  Kind kind;
  Wide seed;
};

ASSAY_BOTH bool is_constant_row(const RowsTask& task, Wide row) {
  return mixed(row, task.seed) % 2 == 0;
}
ASSAY_BOTH Wide constant_of_row(const RowsTask& task, Wide row) {
  return mixed(row, ~task.seed) % task.width;
}

/// Sorts by this: as numbers, and -0 before 0.
ASSAY_WORK Wide sort_key(double value) {
  const Wide bits = bits_of(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// One step of sorting rows by a network: elements `distance` apart, in groups of `group`, which
/// is a power of two. The first step of a group has its elements face one another.
struct SortTask {
  RowsTask rows;
  Wide group;
  Wide distance;  // 0: the first step
};

/// Comparisons of one row in one step.
ASSAY_BOTH Wide pairs_of_row(const SortTask& task) {
  return (task.rows.width + task.group - 1) / task.group * (task.group / 2);
}

ASSAY_WORK void sort_pair(Kind kind, const SortTask& task, Wide i) {
  const RowsTask& rows = task.rows;
  const Wide pair = i % pairs_of_row(task);
  const Wide half = task.distance == 0 ? task.group / 2 : task.distance;
  const Wide start = pair / half * 2 * half;
  const Wide low = start + pair % half;
  const Wide high = task.distance == 0 ? start + task.group - 1 - pair % half : low + half;
  if (high >= rows.width) return;  // nothing is there: as large as can be
  const Wide row = i / pairs_of_row(task) * rows.width;
  const Wide a = raw(kind, rows.array, row + low);
  const Wide b = raw(kind, rows.array, row + high);
  if (sort_key(number(kind, a)) <= sort_key(number(kind, b))) return;
  store_raw(kind, rows.array, row + low, b);
  store_raw(kind, rows.array, row + high, a);
}

/// The last bit of each number, up or down.
struct NudgeTask {
  void* array;
  Wide count;
  Kind kind;
  Wide seed;
};

ASSAY_WORK Wide nudged(Kind kind, const NudgeTask& task, Wide bits, Wide i) {
  const double value = number(kind, bits);
  if (value == 0 || !is_finite(value)) return bits;
  return mixed(i, task.seed) % 2 == 0 ? bits + 1 : bits - 1;
}

// --- timed calls, made again --------------------------------------------------------------------

/// The inputs of one timed call.
struct VaryTask {
  void* to;
  const void* from;
  Wide count;
  scene::Variation how;
  scene::Strength strength;
  Wide early;  // seeds
  Wide late;
};

/// What an answer adds to the fingerprint of its call.
struct FingerprintTask {
  const void* array;
  Wide count;
  Word element_size;
  Wide key;
  Wide first_place;
};

}  // namespace assay::work
