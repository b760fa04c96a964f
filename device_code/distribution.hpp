#pragma once

// Inputs that are made from other inputs.

#include "elements.hpp"

namespace assay::work {

/// Every `step`-th element as a number.
struct GatherTask {
  const void* from;
  Wide count;  // of numbers
  Wide step;
  Kind kind;
};

enum class Pattern : Word { own, heavy_tailed, sparse, sorted, near_rows, ties, extremes };
enum class Spread : Word { own, small, large, shifted, large_shifted };

inline constexpr double kLarge = 6;         // exp() of some of these is still finite in float32
inline constexpr double kSmall = 1.0 / 16;  // no subnormals of float16 from a square
inline constexpr double kShift = 3;         // of the root mean square
inline constexpr double kFarthest = 8;      // the same, of heavy tails and extremes
inline constexpr double kApart = 1.0 / 8;   // of a number, left in what a pattern makes of it

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
  Word turns;  // about half of the numbers over, from positive to negative
  Word apart;  // numbers that differ stay different under every pattern
};

ASSAY_WORK double transformed(const TransformTask& task, double value) {
  if (value == 0 || is_nan(value)) return value;
  const bool over = task.turns != 0 && mixed(bits_of(value), ~task.seed) % 2 == 0;
  const double own = value;
  value = patterned(task.pattern, value, task.rms, mixed(bits_of(value), task.seed));
  if (task.apart != 0) value = plus(times(1 - kApart, value), times(kApart, own));
  if (value != 0) value = spread_out(task.spread, value, task.rms);
  return over ? -value : value;
}

/// `kind` is the task's.
ASSAY_WORK void transform_element(Kind kind, const TransformTask& task, Wide i) {
  const double value = read(kind, task.array, i);
  if (value != 0) write_float(kind, task.array, i, transformed(task, value));
}

/// Rows of `width` elements, of which some are drawn near one of their numbers.
struct RowsTask {
  void* array;
  Wide rows;
  Wide width;
  Kind kind;
  Wide seed;
};

ASSAY_BOTH bool is_near_row(const RowsTask& task, Wide row) {
  return mixed(row, task.seed) % 2 == 0;
}
ASSAY_BOTH Wide center_of_row(const RowsTask& task, Wide row) {
  return mixed(row, ~task.seed) % task.width;
}

inline constexpr double kLeftOfRow = 0.25;  // of what an element differs by from that number

/// Not the number itself: the spread of a constant row is nothing, and one pass over it
/// (E[x^2] - E[x]^2, an honest way) finds the root of its rounding errors there.
ASSAY_WORK void draw_near(Kind kind, const RowsTask& task, Wide i, double one) {
  const double value = read(kind, task.array, i);
  write_float(kind, task.array, i, plus(one, times(kLeftOfRow, plus(value, -one))));
}

/// Sorts by this: as numbers, and -0 before 0.
ASSAY_WORK Wide sort_key(double value) {
  const Wide bits = bits_of(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// One step of sorting rows by a network. It compares elements `distance` apart, in groups of
/// `group`, which is a power of two. In the first step of a group the first element faces the last,
/// the second the last but one, and so on.
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

/// `kind` is the task's.
ASSAY_WORK void nudge_element(Kind kind, const NudgeTask& task, Wide i) {
  const Wide bits = raw(kind, task.array, i);
  const double value = number(kind, bits);
  if (value == 0 || !is_finite(value)) return;
  store_raw(kind, task.array, i, mixed(i, task.seed) % 2 == 0 ? bits + 1 : bits - 1);
}

}  // namespace assay::work
