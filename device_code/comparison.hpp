#pragma once

// How two answers are compared.

#include "elements.hpp"

namespace assay::work {

inline constexpr Word kNoPattern = ~0U;

/// Two bytes, repeated; the low one first.
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

/// Which part of its limit the difference of one element takes. Up to 1 the elements agree.
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

/// Equal infinities are no distance apart.
ASSAY_WORK double difference_of_numbers(double got, double want) {
  return got == want ? 0.0 : size_of_number(plus(got, -want));
}

/// Compared as integers, because past 2^53 neighbours are the same double.
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
    difference = difference_of_numbers(a, b);
    used = part_used(a, b, i, task.bound);
  } else if (got != want) {
    difference = difference_of_integers(kind, got, want);
    used = infinity();
  }
  const bool both_nan = used <= 1 && is_nan(difference);
  if (both_nan) difference = 0;
  if (difference > found.max || is_nan(difference)) found.max = difference;
  if (used > found.used) found.used = used;
  if (used <= 1 && !both_nan) return difference;
  const bool got_unwritten = is_pattern(kind, got, i, task.got_before);
  const bool want_unwritten = is_pattern(kind, want, i, task.want_before);
  const bool same_poison = want_unwritten && task.got_before == task.want_before;
  const bool nobody_wrote = got_unwritten && !same_poison && (want_unwritten || both_nan);
  if (used <= 1 && !nobody_wrote) return difference;
  const bool want_nan = !want_unwritten && is_floating(kind) && is_nan(number(kind, want));
  if (got_unwritten) ++found.unwritten;
  if (want_unwritten) ++found.wanted_unwritten;
  if (want_nan) ++found.wanted_nans;
  if (!got_unwritten && !want_nan && is_floating(kind) && is_nan(number(kind, got))) ++found.nans;
  if (found.mismatches++ == 0) found.first = i;
  return difference;
}

/// Adds what another part of the same stretch found, except for the sums.
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

}  // namespace assay::work
