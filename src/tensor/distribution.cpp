#include "tensor/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <device_code/work.hpp>

#include "base/parallel.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/bytes.hpp"
#include "tensor/change_stretch.hpp"
#include "tensor/element.hpp"
#include "tensor/kind.hpp"
#include "tensor/stretches.hpp"
#include "tensor/widening.hpp"

namespace assay::tensor {
namespace {

constexpr std::size_t kLook = 4096;                         // elements that tell what a tensor is
constexpr std::size_t kMostSorted = std::size_t{1} << 25U;  // elements; the rest stays as it is

using work::mixed;

std::vector<double> looked_at(DType dtype, std::span<const std::byte> bytes) {
  const std::size_t count = bytes.size() / size_of(dtype);
  return every_nth(dtype, bytes, count <= kLook ? 1 : (count / kLook) | 1U);
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
  const std::size_t rows = std::min<std::size_t>(element_count(shape) / width, 4);
  const Readable first(bytes.first(rows * width * size_of(dtype)));
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double value = read_element(dtype, first.bytes(), row * width + i);
      if (value < 0) return false;
      sum += value;
    }
    if (std::abs(sum - 1) > 1e-2) return false;
  }
  return true;
}

/// Sorts each row by a network of comparisons, all rows at once.
bool sort_on(Accelerator& accelerator, const work::RowsTask& rows) {
  const std::size_t pairs = rows.rows * rows.width / 2;
  for (std::size_t group = 2; group < 2 * rows.width; group *= 2) {
    for (std::size_t distance = group / 2; distance > 0; distance /= 2) {
      const work::SortTask task{
          .rows = rows, .group = group, .distance = distance == group / 2 ? 0 : distance};
      if (!accelerator.run({.kernel = "assay_sort", .elements = pairs}, task)) return false;
    }
  }
  return true;
}

void sort_row(DType dtype, std::span<std::byte> row) {
  std::vector<double> values = every_nth(dtype, row, 1);
  std::ranges::sort(values, {}, work::sort_key);
  for (std::size_t i = 0; i < values.size(); ++i) write_element(dtype, row, i, values[i]);
}

/// Patterns of places, not of numbers: only where the places have no meaning that we can see.
void lay_rows(Pattern pattern, DType dtype, const Shape& shape, std::uint64_t seed,
              std::span<std::byte> bytes) {
  const std::size_t rank = shape.size();
  if (rank == 0 || shape.back() < 2) return;
  if (rank >= 2 && shape[rank - 1] == shape[rank - 2]) return;  // may be triangular or symmetric
  const auto width = static_cast<std::size_t>(shape.back());
  const bool sorts = pattern == Pattern::sorted;
  const std::size_t rows = element_count(shape) / width;
  const work::RowsTask task{
      .array = bytes.data(),
      .rows = sorts ? std::min(rows, std::max<std::size_t>(kMostSorted / width, 1)) : rows,
      .width = width,
      .kind = kind_of(dtype),
      .seed = seed};
  if (Accelerator* const accelerator = accelerator_of({bytes}); accelerator != nullptr) {
    if (sorts ? sort_on(*accelerator, task)
              : accelerator->run({.kernel = "assay_near_rows", .blocks = task.rows}, task)) {
      return;
    }
  }
  const std::size_t row_bytes = width * size_of(dtype);
  in_parallel(task.rows, kMostThreads, [&](std::size_t r) {
    const auto row = bytes.subspan(r * row_bytes, row_bytes);
    if (sorts) {
      sort_row(dtype, row);
    } else if (work::is_near_row(task, r)) {
      const std::size_t first = r * width;
      const double one = work::read(task.kind, task.array, first + work::center_of_row(task, r));
      for (std::size_t i = 0; i < width; ++i) work::draw_near(task.kind, task, first + i, one);
    }
  });
}

void transform_all(const work::TransformTask& task, std::span<std::byte> bytes) {
  if (Accelerator* const accelerator = accelerator_of({bytes}); accelerator != nullptr) {
    if (accelerator->run({.kernel = "assay_transform", .elements = task.count}, task)) return;
  }
  in_stretches(task.count, [&](std::size_t, std::size_t from, std::size_t to) {
    transform_stretch(task, from, to);
  });
}

}  // namespace

std::string describe(const Distribution& distribution) {
  static constexpr std::array<const char*, 7> kPatterns = {
      "",          "heavy-tailed", "sparse", "sorted rows", "rows of near numbers",
      "with ties", "with extremes"};
  static constexpr std::array<const char*, 5> kSpreads = {"", "scaled by 1/16", "scaled by 6",
                                                          "shifted", "shifted and scaled by 6"};
  const std::string pattern = kPatterns.at(static_cast<std::size_t>(distribution.pattern));
  const std::string spread = kSpreads.at(static_cast<std::size_t>(distribution.spread));
  static constexpr std::array<const char*, 3> kWidenings = {
      "", "masks that are not constant",
      "negative numbers, masks and states that are not constant"};
  const std::string widening = kWidenings.at(static_cast<std::size_t>(distribution.widening));
  const std::string apart = distribution.apart ? "no new ties" : "";
  std::string text;
  for (const std::string& part : {pattern, apart, spread, widening}) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

Distribution choose_distribution(std::uint64_t seed, std::uint64_t choice) {
  constexpr std::uint64_t kPatternCount = 7;
  constexpr std::uint64_t kSpreadCount = 4;
  Distribution chosen{
      .pattern = static_cast<Pattern>((mixed(seed, 1) % kPatternCount + choice) % kPatternCount),
      .spread = static_cast<Spread>(1 + (mixed(seed, 2) % kSpreadCount + choice) % kSpreadCount)};
  // Far from zero little is left of the variance of such a row: E[x^2] - E[x]^2, which is an honest
  // way to compute it, loses most of its digits there.
  if (chosen.pattern == Pattern::near_rows) {
    if (chosen.spread == Spread::shifted) chosen.spread = Spread::small;
    if (chosen.spread == Spread::large_shifted) chosen.spread = Spread::large;
  }
  return chosen;
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

bool makes_ties(const Distribution& distribution) {
  switch (distribution.pattern) {
    case Pattern::heavy_tailed:  // only up to the farthest
    case Pattern::sparse:
    case Pattern::ties:
    case Pattern::extremes:
      return !distribution.apart;
    default:
      return false;
  }
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

bool is_never_negative(DType dtype, std::span<const std::byte> bytes) {
  return std::ranges::all_of(looked_at(dtype, bytes), [](double value) { return value >= 0; });
}

bool has_sorted_rows(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  constexpr std::int64_t kFewest = 8;  // fewer are in order by chance
  if (shape.empty() || shape.back() < kFewest) return false;
  const std::size_t row_bytes = static_cast<std::size_t>(shape.back()) * size_of(dtype);
  const std::size_t looked = std::min(row_bytes, kLook * size_of(dtype));
  const std::size_t rows = std::min<std::size_t>(bytes.size() / row_bytes, 4);
  bool rises = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const Readable readable(bytes.subspan(row * row_bytes, looked));
    const std::vector<double> values = every_nth(dtype, readable.bytes(), 1);
    if (!std::ranges::is_sorted(values)) return false;
    rises = rises || values.front() < values.back();
  }
  return rises;
}

void sort_rows(DType dtype, const Shape& shape, std::span<std::byte> bytes) {
  lay_rows(Pattern::sorted, dtype, shape, 0, bytes);  // no seed is used
}

void transform(const Distribution& distribution, DType dtype, const Shape& shape,
               std::uint64_t seed, std::span<std::byte> bytes) {
  const double rms = rms_of(looked_at(dtype, bytes));
  if (rms == 0) return;
  const bool turns = distribution.widening == Widening::all && is_never_negative(dtype, bytes);
  const bool was_sorted = has_sorted_rows(dtype, shape, bytes);
  if (distribution.pattern == Pattern::sorted || distribution.pattern == Pattern::near_rows) {
    lay_rows(distribution.pattern, dtype, shape, seed, bytes);
  }
  const work::TransformTask task{.array = bytes.data(),
                                 .count = element_count(shape),
                                 .kind = kind_of(dtype),
                                 .pattern = static_cast<work::Pattern>(distribution.pattern),
                                 .spread = static_cast<work::Spread>(distribution.spread),
                                 .rms = rms,
                                 .seed = seed,
                                 .turns = turns ? 1U : 0U,
                                 .apart = distribution.apart ? 1U : 0U};
  transform_all(task, bytes);
  if (was_sorted) sort_rows(dtype, shape, bytes);
}

void shake(DType dtype, std::uint64_t seed, double relative, std::span<std::byte> bytes) {
  if (!is_floating(dtype) || size_of(dtype) == 1) return;
  in_stretches(bytes.size() / size_of(dtype), [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const double part = static_cast<double>(mixed(seed, i) >> 11U) * 0x1p-52 - 1;  // -1 to 1
      const double value = read_element(dtype, bytes, i);
      write_element(dtype, bytes, i, value * (1 + relative * part));
    }
  });
}

void nudge(DType dtype, std::uint64_t seed, std::span<std::byte> bytes) {
  // The last bit of an 8-bit float is an eighth of it or more: no rounding error.
  if (!is_floating(dtype) || size_of(dtype) == 1) return;
  const work::NudgeTask task{.array = bytes.data(),
                             .count = bytes.size() / size_of(dtype),
                             .kind = kind_of(dtype),
                             .seed = seed};
  if (Accelerator* const accelerator = accelerator_of({bytes}); accelerator != nullptr) {
    if (accelerator->run({.kernel = "assay_nudge", .elements = task.count}, task)) return;
  }
  with_kind(dtype, [&](auto kind) {
    in_stretches(task.count, [&](std::size_t, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) work::nudge_element(kind, task, i);
    });
  });
}

}  // namespace assay::tensor
