#include "judge/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "judge/sample.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"

namespace assay::judge {
namespace {

// Enough to tell a part that is wrong from one that is right. This is done for timed answers too.
constexpr std::size_t kMostLooked = std::size_t{1} << 14U;
constexpr std::size_t kMostBlocks = 1024;  // of neighbouring rows, along one dimension
constexpr std::size_t kFewest = 16;        // elements of a part
constexpr double kFarOff = 0.1;            // of a row's own size
constexpr double kFarOffOffset = 0.05;     // of what varies over a constant
// The same of numbers of 16 bits, and how many times the reference's own rounding it allows: honest
// kernels round more than once.
constexpr double kFarOffOffsetOfHalves = 0.2;
constexpr double kRoundingsOfHalves = 6;
constexpr double kKnownOfHalves = 0.05;  // the reference's own rounding, of what varies
constexpr double kWellKnown = 0.02;      // the reference's own error, of the size
constexpr double kManyOff = 0.125;       // of the elements: a few are edges
constexpr double kRoundings = 32;        // of an element that a change is added to
constexpr double kOrders = 256;          // roundings that other orders of summation differ by
// The same of long sums, in terms for each rounding. One after the other, a million products of two
// uniform numbers are off by 2500 roundings, and 130000 fourth powers of them by 900.
constexpr double kTermsPerRounding = 64;

/// Below, kernels may flush to zero.
double smallest(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-290;
    case DType::float16:
      return 1e-3;
    case DType::float32:
    case DType::bfloat16:
      return 1e-30;
    default:
      return INFINITY;
  }
}

/// The same elements of all that is compared.
struct Elements {
  std::vector<double> got, want, answer, precise;
};

struct Part {
  double squares = 0;  // of the expected elements
  double errors = 0;   // squares of them
  double noise = 0;    // squares of the reference's own
  std::size_t count = 0;
  std::size_t off = 0;

  [[nodiscard]] double mean(double sum) const { return sum / static_cast<double>(count); }
  [[nodiscard]] double size() const { return std::sqrt(mean(squares)); }
  [[nodiscard]] bool is_well_known() const {
    return std::sqrt(mean(noise)) <= kWellKnown * size() / 4;
  }
  [[nodiscard]] bool is_far_off(double part) const {
    return std::sqrt(mean(errors)) > part * size() &&
           static_cast<double>(off) > kManyOff * static_cast<double>(count);
  }
};

bool is_finite(const Elements& all, std::size_t i) {
  return std::isfinite(all.got[i]) && std::isfinite(all.want[i]) &&
         std::isfinite(all.answer[i] - all.precise[i]);
}

bool is_finite(const Elements& all, const std::vector<double>& input, std::size_t i) {
  return is_finite(all, i) && std::isfinite(input[i]);
}

void add_to(Part& part, const Elements& all, std::size_t i, double center) {
  const double want = all.want[i] - center;
  const double error = all.got[i] - all.want[i];
  const double noise = all.answer[i] - all.precise[i];
  part.squares += want * want;
  part.errors += error * error;
  part.noise += noise * noise;
  ++part.count;
}

bool is_wide(DType precision) {
  return precision == DType::float32 || precision == DType::float64;
}

/// The part of what varies over a constant that an answer may be off by. Nothing where honest
/// answers may be off by more than can be told.
std::optional<double> far_off_offset(const Part& whole, double center, const Known& known) {
  if (!is_wide(known.precision)) {
    const double own = std::sqrt(whole.mean(whole.noise)) / whole.size();
    if (!(own <= kKnownOfHalves)) return std::nullopt;
    return std::max(kFarOffOffsetOfHalves, kRoundingsOfHalves * own);
  }
  const double roundings = std::max(kOrders, known.terms / kTermsPerRounding);
  const double rounding = roundings * unit_roundoff(known.precision) * std::abs(center);
  if (rounding > kFarOffOffset * whole.size() || !whole.is_well_known()) return std::nullopt;
  return kFarOffOffset;
}

/// What varies over a constant that is much larger.
std::optional<PartComplaint> offset_complaint(const Elements& all, const OutputView& want,
                                              const Limit& limit, const Known& known) {
  double sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < all.want.size(); ++i) {
    if (!is_finite(all, i)) continue;
    sum += all.want[i];
    ++finite;
  }
  if (finite < kFewest) return std::nullopt;
  const double center = sum / static_cast<double>(finite);
  Part whole;
  for (std::size_t i = 0; i < all.want.size(); ++i) {
    if (is_finite(all, i)) add_to(whole, all, i, center);
  }
  const double spread = whole.size();
  const double allowed = limit.tolerance.atol + limit.tolerance.rtol * std::abs(center);
  const auto far_off = far_off_offset(whole, center, known);
  if (!far_off || allowed <= *far_off * spread) return std::nullopt;
  for (std::size_t i = 0; i < all.want.size(); ++i) {
    if (is_finite(all, i) && std::abs(all.got[i] - all.want[i]) > *far_off * spread) ++whole.off;
  }
  if (!whole.is_far_off(*far_off)) return std::nullopt;
  return PartComplaint{
      .rule = "offset",
      .reason = fmt::format(
          "The elements of '{}' lie around {:.6g} and vary by {:.3g}. The answer is typically off "
          "by {:.3g}. That is little beside the elements, but too much beside how they vary",
          want.name, center, spread, std::sqrt(whole.mean(whole.errors)))};
}

/// Rows along one dimension: `inner` elements lie between two of the same row's neighbours.
std::optional<PartComplaint> rows_complaint(const Elements& all, const OutputView& want,
                                            const Limit& limit, std::size_t step,
                                            std::size_t dimension) {
  std::size_t inner = 1;
  for (std::size_t d = dimension + 1; d < want.shape.size(); ++d) {
    inner *= static_cast<std::size_t>(want.shape[d]);
  }
  const auto extent = static_cast<std::size_t>(want.shape[dimension]);
  const std::size_t blocks = std::min(extent, kMostBlocks);
  const auto block_of = [&](std::size_t i) { return i * step / inner % extent * blocks / extent; };
  std::vector<Part> parts(blocks);
  for (std::size_t i = 0; i < all.want.size(); ++i) {
    if (is_finite(all, i)) add_to(parts[block_of(i)], all, i, 0);
  }
  for (std::size_t i = 0; i < all.want.size(); ++i) {
    Part& part = parts[block_of(i)];
    if (is_finite(all, i) && std::abs(all.got[i] - all.want[i]) > kFarOff * part.size()) ++part.off;
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    const Part& part = parts[block];
    if (part.count < kFewest || part.size() < smallest(want.dtype)) continue;
    if (limit.tolerance.atol <= kFarOff * part.size() || !part.is_well_known()) continue;
    if (!part.is_far_off(kFarOff)) continue;
    return PartComplaint{
        .rule = "small_rows",
        .reason = fmt::format(
            "A part of '{}' is far smaller than the rest, and wrong: around position {} of "
            "dimension {} its elements are typically {:.3g} in size, and off by {:.3g}",
            want.name, block * extent / blocks, dimension, part.size(),
            std::sqrt(part.mean(part.errors)))};
  }
  return std::nullopt;
}

/// What an input was changed by. Nothing of it if the tolerance sees it well enough, or if it is
/// nearly lost in rounding.
std::optional<Part> change_of(const Elements& all, const std::vector<double>& input,
                              const OutputView& want, const Limit& limit) {
  Part change;
  double squares = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (!is_finite(all, input, i)) continue;
    add_to(change, all, i, input[i]);
    squares += all.want[i] * all.want[i];
  }
  if (change.count < kFewest || change.size() < smallest(want.dtype)) return std::nullopt;
  const double typical = std::sqrt(change.mean(squares));
  const double allowed = limit.tolerance.atol + limit.tolerance.rtol * typical;
  const double rounding = kRoundings * unit_roundoff(want.dtype) * typical;
  if (allowed <= kFarOff * change.size() || rounding > kFarOff * change.size()) return std::nullopt;
  if (!change.is_well_known()) return std::nullopt;
  return change;
}

}  // namespace

SmallChange small_change(const OutputView& got, const OutputView& want, const Limit& limit,
                         const Known& known, const std::vector<OutputView>& inputs) {
  SmallChange result;
  const std::size_t count = element_count(want.shape);
  if (!is_floating(want.dtype) || known.answer.shape != want.shape ||
      known.precise.shape != want.shape || got.shape != want.shape) {
    return result;
  }
  const Sample sample(count, kMostLooked);
  std::optional<Elements> all;
  for (const OutputView& input : inputs) {
    if (input.shape != want.shape || input.dtype != want.dtype || input.bytes.empty()) continue;
    if (!all) {
      all = Elements{.got = sample.of(got),
                     .want = sample.of(want),
                     .answer = sample.of(known.answer),
                     .precise = sample.of(known.precise)};
    }
    const auto values = sample.of(input);
    auto change = change_of(*all, values, want, limit);
    if (!change) continue;
    result.any = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_finite(*all, values, i)) continue;
      if (std::abs(all->got[i] - all->want[i]) > kFarOff * change->size()) ++change->off;
    }
    if (!change->is_far_off(kFarOff)) continue;
    result.complaint = PartComplaint{
        .rule = "small_change",
        .reason = fmt::format(
            "'{}' is an input, changed by {:.3g}, typically. The answer is off by {:.3g}. That is "
            "little of the whole, and too much of the change",
            want.name, change->size(), std::sqrt(change->mean(change->errors)))};
    return result;
  }
  return result;
}

std::optional<PartComplaint> part_complaint(const OutputView& got, const OutputView& want,
                                            const Limit& limit, const Known& known) {
  const std::size_t count = element_count(want.shape);
  if (!is_floating(want.dtype) || count < kFewest || known.answer.shape != want.shape ||
      known.precise.shape != want.shape || got.shape != want.shape) {
    return std::nullopt;
  }
  const Sample sample(count, kMostLooked);
  const Elements all{.got = sample.of(got),
                     .want = sample.of(want),
                     .answer = sample.of(known.answer),
                     .precise = sample.of(known.precise)};
  if (auto complaint = offset_complaint(all, want, limit, known)) return complaint;
  if (want.shape.size() < 2) return std::nullopt;
  for (std::size_t d = 0; d < want.shape.size(); ++d) {
    if (want.shape[d] < 2) continue;
    if (auto complaint = rows_complaint(all, want, limit, sample.step(), d)) return complaint;
  }
  return std::nullopt;
}

}  // namespace assay::judge
