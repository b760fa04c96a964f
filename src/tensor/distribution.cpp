#include "tensor/distribution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/element.hpp"
#include "tensor/element_of.hpp"
#include "tensor/stretches.hpp"

namespace assay::tensor {
namespace {

constexpr double kLarge = 6;         // exp() of some of these is still finite in float32
constexpr double kSmall = 1.0 / 16;  // no subnormals of float16 from a square
constexpr double kShift = 3;         // of the root mean square
constexpr double kFarthest = 8;      // the same, of heavy tails and extremes
constexpr std::size_t kLook = 4096;  // elements that tell what a tensor is

std::uint64_t mixed(std::uint64_t value, std::uint64_t seed) {
  value = (value ^ seed) * 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 31U)) * 0xBF58476D1CE4E5B9U;
  return value ^ (value >> 29U);
}

std::vector<double> looked_at(DType dtype, std::span<const std::byte> bytes) {
  const std::size_t count = bytes.size() / size_of(dtype);
  const std::size_t step = count <= kLook ? 1 : (count / kLook) | 1U;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; i += step) values.push_back(read_element(dtype, bytes, i));
  return values;
}

double rms_of(const std::vector<double>& values) {
  double squares = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (value == 0) continue;
    squares += value * value;
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

/// Rows that are all at least zero and sum up to one.
bool has_probabilities(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  if (shape.empty() || shape.back() < 2) return false;
  const auto width = static_cast<std::size_t>(shape.back());
  const std::size_t rows = element_count(shape) / width;
  for (std::size_t row = 0; row < std::min<std::size_t>(rows, 4); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double value = read_element(dtype, bytes, row * width + i);
      if (value < 0) return false;
      sum += value;
    }
    if (std::abs(sum - 1) > 1e-2) return false;
  }
  return true;
}

double spread_out(Spread spread, double value, double rms) {
  switch (spread) {
    case Spread::own:
      return value;
    case Spread::small:
      return value * kSmall;
    case Spread::large:
      return value * kLarge;
    case Spread::shifted:
      return value + kShift * rms;
    case Spread::large_shifted:
      return kLarge * (value + kShift * rms);
  }
  return value;
}

double patterned(Pattern pattern, double value, double rms, std::uint64_t chance) {
  switch (pattern) {
    case Pattern::heavy_tailed: {
      const double part = std::abs(value) / rms;
      return std::copysign(rms * std::min(part * part * part / 2, kFarthest), value);
    }
    case Pattern::sparse:
      return chance % 4 == 0 ? value : 0;
    case Pattern::ties:
      return std::round(2 * value / rms) * rms / 2;
    case Pattern::extremes:
      return chance % 64 == 0 ? std::copysign(kFarthest * rms, value) : value;
    default:
      return value;
  }
}

/// Patterns of places, not of numbers: only where the places have no meaning that we can see.
void lay_rows(Pattern pattern, DType dtype, const Shape& shape, std::uint64_t seed,
              std::span<std::byte> bytes) {
  const std::size_t rank = shape.size();
  if (rank == 0 || shape.back() < 2) return;
  if (rank >= 2 && shape[rank - 1] == shape[rank - 2]) return;  // may be triangular or symmetric
  const auto width = static_cast<std::size_t>(shape.back());
  const std::size_t rows = element_count(shape) / width;
  std::vector<double> row(width);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < width; ++i) row[i] = read_element(dtype, bytes, r * width + i);
    if (pattern == Pattern::sorted) {
      std::ranges::sort(row);
    } else if (mixed(r, seed) % 2 == 0) {
      std::ranges::fill(row, row[mixed(r, ~seed) % width]);
    }
    for (std::size_t i = 0; i < width; ++i) write_element(dtype, bytes, r * width + i, row[i]);
  }
}

}  // namespace

std::string describe(const Distribution& distribution) {
  static constexpr std::array<const char*, 7> kPatterns = {
      "", "heavy-tailed", "sparse", "sorted rows", "constant rows", "with ties", "with extremes"};
  static constexpr std::array<const char*, 5> kSpreads = {"", "scaled by 1/16", "scaled by 6",
                                                          "shifted", "shifted and scaled by 6"};
  const std::string pattern = kPatterns.at(static_cast<std::size_t>(distribution.pattern));
  const std::string spread = kSpreads.at(static_cast<std::size_t>(distribution.spread));
  return pattern.empty() || spread.empty() ? pattern + spread : pattern + ", " + spread;
}

Distribution choose_distribution(std::uint64_t seed) {
  constexpr std::uint64_t kPatternCount = 7;
  constexpr std::uint64_t kSpreadCount = 4;
  return {.pattern = static_cast<Pattern>(mixed(seed, 1) % kPatternCount),
          .spread = static_cast<Spread>(1 + mixed(seed, 2) % kSpreadCount)};
}

Distribution within_range(const Distribution& distribution) {
  Distribution within = distribution;
  if (within.pattern == Pattern::heavy_tailed || within.pattern == Pattern::extremes) {
    within.pattern = Pattern::sparse;
  }
  if (within.spread == Spread::shifted) within.spread = Spread::own;
  if (within.spread != Spread::own) within.spread = Spread::small;
  if (within.is_own()) within.pattern = Pattern::sparse;
  return within;
}

bool is_measure(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  if (!is_floating(dtype) || bytes.empty()) return false;
  const auto values = looked_at(dtype, bytes);
  std::set<double> different;
  bool whole = true;
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
    whole = whole && value == std::floor(value);
    if (different.size() <= 8) different.insert(value);
  }
  const bool few = values.size() > 16 && different.size() <= 8;
  return !whole && !few && !has_probabilities(dtype, shape, bytes);
}

void transform(const Distribution& distribution, DType dtype, const Shape& shape,
               std::uint64_t seed, std::span<std::byte> bytes) {
  const double rms = rms_of(looked_at(dtype, bytes));
  if (rms == 0) return;
  if (distribution.pattern == Pattern::sorted || distribution.pattern == Pattern::constant_rows) {
    lay_rows(distribution.pattern, dtype, shape, seed, bytes);
  }
  with_element(dtype, [&](auto element) {
    using Element = decltype(element);
    in_stretches(element_count(shape), [&](std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        double value = Element::read(bytes.data(), i);
        if (value == 0) continue;
        const auto chance = mixed(std::bit_cast<std::uint64_t>(value), seed);
        value = patterned(distribution.pattern, value, rms, chance);
        if (value != 0) value = spread_out(distribution.spread, value, rms);
        Element::write(bytes.data(), i, value);
      }
    });
  });
}

void nudge(DType dtype, std::uint64_t seed, std::span<std::byte> bytes) {
  with_element(dtype, [&](auto element) {
    using Element = decltype(element);
    using Stored = typename Element::Stored;
    // The last bit of an 8-bit float is an eighth of it or more: no rounding error.
    if constexpr (Element::kFloating && sizeof(Stored) > 1) {
      using Bits =
          std::conditional_t<sizeof(Stored) == 8, std::uint64_t,
                             std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint16_t>>;
      const std::size_t count = bytes.size() / sizeof(Bits);
      in_stretches(count, [&](std::size_t, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          const double value = Element::read(bytes.data(), i);
          if (value == 0 || !std::isfinite(value)) continue;
          auto bits = std::bit_cast<Bits>(Element::load(bytes.data(), i));
          bits = static_cast<Bits>(mixed(i, seed) % 2 == 0 ? bits + 1U : bits - 1U);
          std::memcpy(bytes.data() + i * sizeof(Bits), &bits, sizeof bits);
        }
      });
    }
  });
}

}  // namespace assay::tensor
