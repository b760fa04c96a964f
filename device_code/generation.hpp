#pragma once

// Random numbers, and the other contents that a contract can ask for.

#include "elements.hpp"

namespace assay::work {

struct Four {
  Word x[4];
};

/// Where Philox begins, and one of its rounds.
ASSAY_BOTH Four philox_start(Wide counter) {
  return {{static_cast<Word>(counter), static_cast<Word>(counter >> 32U), 0, 0}};
}
ASSAY_BOTH Four philox_round(const Four& block, Word key0, Word key1) {
  const Wide product0 = Wide{0xD2511F53U} * block.x[0];
  const Wide product1 = Wide{0xCD9E8D57U} * block.x[2];
  return {{static_cast<Word>(product1 >> 32U) ^ block.x[1] ^ key0, static_cast<Word>(product1),
           static_cast<Word>(product0 >> 32U) ^ block.x[3] ^ key1, static_cast<Word>(product0)}};
}

inline constexpr int kPhiloxRounds = 10;
inline constexpr Word kPhiloxStep0 = 0x9E3779B9U;  // of the keys, from round to round
inline constexpr Word kPhiloxStep1 = 0xBB67AE85U;

/// Philox 4x32 with ten rounds (Salmon et al., 2011): block `counter` of the stream `key`. Any
/// element can be made without making those before it.
ASSAY_BOTH Four philox(Wide key, Wide counter) {
  Four block = philox_start(counter);
  Word key0 = static_cast<Word>(key);
  Word key1 = static_cast<Word>(key >> 32U);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    block = philox_round(block, key0, key1);
    key0 += kPhiloxStep0;
    key1 += kPhiloxStep1;
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

/// The natural logarithm of a number between 0 and 1 that is not subnormal. It is our own, because
/// libraries differ in their last bits.
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

/// The point on the unit circle that lies `turn` / 2^32 of the way round.
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
  // A quarter turn swaps the two and changes one sign.
  const bool swapped = (quarter & 1U) != 0;
  const double x = swapped ? s : c;
  const double y = swapped ? c : s;
  return {((quarter + 1U) & 2U) != 0 ? -x : x, (quarter & 2U) != 0 ? -y : y};
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

ASSAY_WORK double uniform_number(const GenerateTask& task, double u) {
  if (task.content == Content::integers)
    return plus(task.first, whole_below(times(u, task.second)));
  return plus(task.first, times(u, plus(task.second, -task.first)));
}

/// Rounding to a narrow format can reach the open end of uniform numbers.
ASSAY_WORK void keep_end_open(Kind kind, const GenerateTask& task, Wide i) {
  if (task.content == Content::uniform && task.first < task.second &&
      read(kind, task.array, i) >= task.second) {
    write(kind, task.array, i, task.first);
  }
}

ASSAY_WORK void generate_uniform(Kind kind, const GenerateTask& task, Wide i, double u) {
  if (i >= task.count) return;
  write(kind, task.array, i, uniform_number(task, u));
  keep_end_open(kind, task, i);
}

ASSAY_WORK Point normal_numbers(const GenerateTask& task, Word radius_bits, Word turn) {
  const double u = plus(radius_bits, 0.5) * 0x1p-32;
  const double radius = times(task.second, root(times(-2, log_of(u))));
  const Point point = on_circle(turn);
  return {plus(task.first, times(radius, point.cosine)),
          plus(task.first, times(radius, point.sine))};
}

ASSAY_WORK void generate_normal(Kind kind, const GenerateTask& task, Wide i, Word radius_bits,
                                Word turn) {
  if (i >= task.count) return;
  const Point two = normal_numbers(task, radius_bits, turn);
  write(kind, task.array, i, two.cosine);
  if (i + 1 < task.count) write(kind, task.array, i + 1, two.sine);
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

}  // namespace assay::work
