#pragma once

// The arithmetic of a timed call. The GPU runs it, and the worker checks it. NVRTC and the host's
// compiler compile the same source.
//
// A round is a chain. The contents of call i follow from the fingerprint of call i-1's outputs and
// from a key. Nobody knows the key before the clock runs. The cache is swept by a sum that needs
// every byte of the sweep buffer. A part of the inputs is written only after that sum is known. So
// no call can begin early, be left out, be answered from memory or share work with another.

#include "both.hpp"

namespace assay::scene {

using both::Wide;
using both::Word;

/// How the elements of an input are varied from call to call.
enum class Variation : Word { copied, float32, float64, float16, bfloat16 };

/// What one call leaves behind. Each is a sum over all elements, so the order does not matter.
struct Entry {
  Wide inputs = 0;   // of the early part of the inputs
  Wide sweep = 0;    // of the sweep buffer
  Wide outputs = 0;  // of what the call answered
};

inline constexpr Word kMostCalls = 1024;  // in one round: what fits in 48 KB of shared memory

/// Lies in device memory. While a round runs it is kept where it is fast. At the end it is copied
/// to the worker's.
struct Ledger {
  Wide key = 0;
  Entry entries[kMostCalls];
};

/// Spreads every bit over all others (the finaliser of MurmurHash3).
ASSAY_BOTH Word mixed(Word x) {
  x ^= x >> 16U;
  x *= 0x85EBCA6BU;
  x ^= x >> 13U;
  x *= 0xC2B2AE35U;
  x ^= x >> 16U;
  return x;
}

ASSAY_BOTH Wide mixed(Wide x) {
  x ^= x >> 33U;
  x *= 0xFF51AFD7ED558CCDULL;
  x ^= x >> 33U;
  x *= 0xC4CEB9FE1A85EC53ULL;
  x ^= x >> 33U;
  return x;
}

ASSAY_BOTH Wide early_seed(Wide key, Word call, Wide previous_outputs) {
  return mixed(key ^ mixed(previous_outputs + 0x9E3779B97F4A7C15ULL * (call + 1ULL)));
}
ASSAY_BOTH Wide sweep_seed(Wide key, const Entry& entry) {
  return mixed(key ^ mixed(entry.inputs ^ 0xA24BAED4963EE407ULL));
}
ASSAY_BOTH Wide late_seed(Wide key, const Entry& entry) {
  return mixed(key ^ mixed(entry.sweep ^ 0x9FB21C651E98DF25ULL));
}

/// What one word at one place adds to a sum. It is not linear in `seed`, so that no sum follows
/// from another.
ASSAY_BOTH Word hashed(Word value, Wide seed, Wide place) {
  const Word at = static_cast<Word>(place) * 0x9E3779B1U + static_cast<Word>(place >> 32U);
  return mixed((value ^ static_cast<Word>(seed)) + (at ^ static_cast<Word>(seed >> 32U)));
}

/// What an element of an output adds to the fingerprint. `place` counts elements in the order of
/// indices, whatever their order in memory.
ASSAY_BOTH Wide hashed_element(Wide value, Wide key, Wide place) {
  const Word low = hashed(static_cast<Word>(value), key, place);
  const Word rest = static_cast<Word>(value >> 32U);
  return rest == 0 ? low : low + (static_cast<Wide>(hashed(rest, ~key, place)) << 16U);
}

/// A word of the sweep buffer after one more sweep.
ASSAY_BOTH Word swept(Word word, Wide seed) {
  return mixed((word ^ static_cast<Word>(seed)) + static_cast<Word>(seed >> 32U));
}

/// Lines of 128 bytes that are written only after the sweep: one in thirty-two, the first among
/// them.
ASSAY_BOTH bool is_late(Wide byte_offset) {
  const Wide line = byte_offset >> 7U;
  return line == 0 || (mixed(static_cast<Word>(line)) & 31U) == 0;
}

/// How far elements move from call to call. `strong` makes every answer another one, beyond any
/// tolerance, so that none can be kept for the next call. `gentle` changes only the answer's bits.
enum class Strength : Word { gentle, strong };

/// Changes low bits in elements that have any. Zeros, ones, powers of two, infinities and NaN may
/// have a meaning, and stay. With `strong`, a quarter of the elements is halved too. So signs stay,
/// and no element leaves the range that the others are in.
template <class Bits>
ASSAY_BOTH Bits with_noise(Bits bits, Bits low, Bits exponent, Strength strength, Wide noise) {
  const Bits one = static_cast<Bits>(exponent & (~exponent + 1));  // of the exponent
  if ((bits & low) == 0 || (bits & exponent) == exponent) return bits;
  const Bits other = static_cast<Bits>(bits ^ (static_cast<Bits>(noise) & low));
  const bool halved = strength == Strength::strong && static_cast<Word>(noise) >> 30U == 0 &&
                      (bits & exponent) > one;
  return halved ? static_cast<Bits>(other - one) : other;
}

ASSAY_BOTH Word varied32(Word bits, Strength strength, Wide seed, Wide element) {
  return with_noise<Word>(bits, 0xFFFU, 0x7F800000U, strength, hashed(0, seed, element));
}
ASSAY_BOTH Wide varied64(Wide bits, Strength strength, Wide seed, Wide element) {
  const Wide high = static_cast<Wide>(hashed(0, ~seed, element)) << 32U;
  return with_noise<Wide>(bits, 0xFFFFFFFFFFULL, 0x7FF0000000000000ULL, strength,
                          high | hashed(0, seed, element));
}
ASSAY_BOTH unsigned short varied16(unsigned short bits, bool brain, Strength strength, Wide seed,
                                   Wide element) {
  const unsigned short low = brain ? 0x3U : 0x7U;
  const unsigned short exponent = brain ? 0x7F80U : 0x7C00U;
  return with_noise<unsigned short>(bits, low, exponent, strength, hashed(0, seed, element));
}

/// Binds every fingerprint of a round into one number. Whoever knows it has done all calls.
ASSAY_BOTH Wide sealed(Wide before, const Entry& entry) {
  return mixed(mixed(mixed(before ^ entry.inputs) + entry.sweep) ^ entry.outputs);
}

}  // namespace assay::scene
