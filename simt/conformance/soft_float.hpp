/// Rounding done by hand on the host. It shows what half, bfloat16, fp8 and the directed-rounding
/// intrinsics should give, without asking any of their implementations.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace soft_float {

enum class Round { nearest_even, toward_zero, up, down };

/// A binary format of at most 32 bits. `infinities` is false for e4m3, whose largest exponent
/// still holds numbers and whose only special value is NaN (all ones).
struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool infinities = true;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
  constexpr std::uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  constexpr std::uint32_t largest() const { return infinities ? infinity() - 1 : sign_bit() - 2; }
};

constexpr Format kFloat{8, 23};
constexpr Format kHalf{5, 10};
constexpr Format kBfloat16{8, 7};
constexpr Format kE4m3{4, 3, false};
constexpr Format kE5m2{5, 2};

inline double decode(const Format& f, std::uint32_t bits) {
  const double sign = (bits & f.sign_bit()) != 0 ? -1.0 : 1.0;
  const std::uint32_t magnitude = bits & (f.sign_bit() - 1);
  if (magnitude > f.largest()) {
    return f.infinities && magnitude == f.infinity()
               ? sign * std::numeric_limits<double>::infinity()
               : std::numeric_limits<double>::quiet_NaN();
  }
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const std::uint32_t fraction = magnitude & ((1u << f.mantissa_bits) - 1);
  const int scale = (exponent == 0 ? 1 : exponent) - f.bias() - f.mantissa_bits;
  const std::uint32_t whole = exponent == 0 ? fraction : fraction | (1u << f.mantissa_bits);
  return sign * std::ldexp(static_cast<double>(whole), scale);
}

/// Whether a magnitude with a discarded part goes up to the next one.
inline bool rounds_away(Round mode, bool negative, double discarded, bool odd) {
  switch (mode) {
    case Round::nearest_even:
      return discarded > 0.5 || (discarded == 0.5 && odd);
    case Round::toward_zero:
      return false;
    case Round::up:
      return !negative && discarded > 0;
    case Round::down:
      return negative && discarded > 0;
  }
  return false;
}

inline bool overflows_to_infinity(Round mode, bool negative) {
  return mode == Round::nearest_even || mode == (negative ? Round::down : Round::up);
}

/// The bits of x in the format. NaN becomes all ones without the sign. A value too large becomes
/// infinity or the largest number, as IEEE 754 says. In a format without infinity it becomes NaN.
inline std::uint32_t encode(const Format& f, double x, Round mode = Round::nearest_even) {
  if (std::isnan(x)) return f.sign_bit() - 1;
  const bool negative = std::signbit(x);
  const std::uint32_t sign = negative ? f.sign_bit() : 0;
  const std::uint32_t beyond = f.infinities ? f.infinity() : f.sign_bit() - 1;
  if (std::isinf(x)) return sign | beyond;
  if (x == 0) return sign;

  int exponent = 0;
  std::frexp(x, &exponent);
  const int least = 2 - f.bias();  // exponent of the smallest normal number as frexp counts
  const int quantum = (exponent < least ? least : exponent) - 1 - f.mantissa_bits;
  const double scaled = std::ldexp(std::abs(x), -quantum);
  double whole = std::floor(scaled);
  if (rounds_away(mode, negative, scaled - whole, std::fmod(whole, 2) != 0)) whole += 1;

  // A mantissa that rounded up to a power of two carries into the exponent by itself.
  const int biased = (exponent < least ? least : exponent) - least + 1;
  const double hidden = std::ldexp(1.0, f.mantissa_bits);
  const double magnitude = (biased - 1) * hidden + whole;
  if (magnitude > f.largest()) {
    return sign | (overflows_to_infinity(mode, negative) ? beyond : f.largest());
  }
  return sign | static_cast<std::uint32_t>(magnitude);
}

inline double round_to(const Format& f, double x, Round mode = Round::nearest_even) {
  return decode(f, encode(f, x, mode));
}

/// The same value. The compiler cannot fuse the product it came from into a sum.
inline double unfused(double x) {
  const volatile double kept = x;
  return kept;
}

/// The rounding error a + b - (a + b), exactly (Knuth's TwoSum).
inline double sum_residual(double a, double b) {
  const double x = unfused(a), y = unfused(b);
  const double sum = x + y;
  const double part = sum - x;
  return (x - (sum - part)) + (y - part);
}

/// Turns a double rounded to nearest into one rounded to odd, given the sign of what was lost. Such
/// a value can be rounded again, to a format at least two bits narrower, and is then right.
inline double to_odd(double nearest, double residual) {
  std::int64_t bits;
  static_assert(sizeof bits == sizeof nearest);
  __builtin_memcpy(&bits, &nearest, sizeof bits);
  if (residual == 0 || std::isnan(residual) || std::isinf(nearest) || (bits & 1) != 0) {
    return nearest;
  }
  const double towards = residual > 0 ? std::numeric_limits<double>::infinity()
                                      : -std::numeric_limits<double>::infinity();
  return std::nextafter(nearest, towards);
}

inline double add_odd(double a, double b) {
  return to_odd(a + b, sum_residual(a, b));
}

/// a * b must be exact in double: true of all factors with at most 26 significant bits.
inline double fma_odd(double a, double b, double c) {
  return add_odd(a * b, c);
}

inline double divide_odd(double a, double b) {
  const double quotient = a / b;
  if (!std::isfinite(quotient) || quotient == 0) return quotient;
  const double remainder = std::fma(-quotient, b, a);
  return to_odd(quotient, b > 0 ? remainder : -remainder);
}

inline double sqrt_odd(double a) {
  const double root = std::sqrt(a);
  if (!std::isfinite(root) || root == 0) return root;
  return to_odd(root, std::fma(-root, root, a));
}

/// A double rounded to nearest, moved to where another mode would have put it.
inline double directed(double nearest, double residual, Round mode) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (mode) {
    case Round::nearest_even:
      return nearest;
    case Round::toward_zero:
      if ((nearest > 0 && residual < 0) || (nearest < 0 && residual > 0)) {
        return std::nextafter(nearest, 0.0);
      }
      return nearest;
    case Round::up:
      return residual > 0 ? std::nextafter(nearest, kInfinity) : nearest;
    case Round::down:
      return residual < 0 ? std::nextafter(nearest, -kInfinity) : nearest;
  }
  return nearest;
}

/// The sign of a sum of doubles, exactly. Each double is added to an expansion whose parts do not
/// overlap (Shewchuk). So the last part that is not zero decides.
template <int N>
double sign_of_sum(const double (&terms)[N]) {
  double parts[N] = {};
  int used = 0;
  for (const double term : terms) {
    double carried = unfused(term);
    for (int i = 0; i < used; ++i) {
      const double sum = carried + parts[i];
      parts[i] = sum_residual(carried, parts[i]);
      carried = sum;
    }
    parts[used++] = carried;
  }
  for (int i = used - 1; i >= 0; --i) {
    if (parts[i] != 0) return parts[i];
  }
  return 0;
}

}  // namespace soft_float
