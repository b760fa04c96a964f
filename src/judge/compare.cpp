#include "judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>

#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/element.hpp"
#include "tensor/element_of.hpp"
#include "tensor/stretches.hpp"

namespace assay::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kJustOver = 1 + std::numeric_limits<double>::epsilon();

std::vector<std::int64_t> position_of(std::size_t index, const Shape& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    position[d] = static_cast<std::int64_t>(index % extent);
    index /= extent;
  }
  return position;
}

constexpr double kOwnError = 4;  // times what the expected element is off by itself

double allowed_at(double want, std::size_t index, const Limit& limit) {
  double allowed = limit.tolerance.atol + limit.tolerance.rtol * std::abs(want);
  if (limit.precise.empty()) return allowed;
  double precise = 0;
  std::memcpy(&precise, limit.precise.data() + index * sizeof precise, sizeof precise);
  const double off = std::abs(want - precise);
  return std::isfinite(off) ? allowed + kOwnError * off : allowed;
}

std::optional<WrongAnswer> compare_structure(const std::vector<OutputView>& got,
                                             const std::vector<OutputView>& want, int round) {
  if (got.size() != want.size()) {
    return WrongAnswer{
        .reason = fmt::format("Output count mismatch: ref={}, custom={}", want.size(), got.size()),
        .rule = "structure",
        .round = round};
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].shape != want[i].shape) {
      return WrongAnswer{.reason = fmt::format("Shape mismatch: ref=[{}], custom=[{}] (output {})",
                                               fmt::join(want[i].shape, ", "),
                                               fmt::join(got[i].shape, ", "), got[i].name),
                         .rule = "structure",
                         .round = round};
    }
    if (got[i].dtype != want[i].dtype) {
      return WrongAnswer{
          .reason = fmt::format("Dtype mismatch: ref={}, custom={} (output {})",
                                to_string(want[i].dtype), to_string(got[i].dtype), got[i].name),
          .rule = "structure",
          .round = round};
    }
  }
  return std::nullopt;
}

void add(Differences& totals, const Differences& part) {
  totals.compared += part.compared;
  totals.mismatches += part.mismatches;
  totals.unwritten += part.unwritten;
  totals.wanted_unwritten += part.wanted_unwritten;
  totals.nans += part.nans;
  totals.wanted_nans += part.wanted_nans;
  totals.sum += part.sum;
  totals.used = std::max(totals.used, part.used);
  totals.max =
      std::isnan(totals.max) || std::isnan(part.max) ? NAN : std::max(totals.max, part.max);
  if (!totals.first) totals.first = part.first;
}

template <class Element>
double difference_between(const std::byte* got, const std::byte* want, std::size_t index) {
  if constexpr (Element::kFloating) {
    const double a = Element::read(got, index);
    const double b = Element::read(want, index);
    return a == b ? 0.0 : std::abs(a - b);
  } else {  // as integers: past 2^53 neighbours are the same double
    const auto a = Element::load(got, index);
    const auto b = Element::load(want, index);
    const auto [low, high] = std::minmax(a, b);
    return static_cast<double>(static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
  }
}

template <class Element>
double part_used_at(const std::byte* got, const std::byte* want, std::size_t index,
                    const Limit& limit) {
  if constexpr (Element::kFloating) {
    return part_used(Element::read(got, index), Element::read(want, index), index, limit);
  } else {
    return Element::load(got, index) == Element::load(want, index) ? 0 : kInfinity;
  }
}

template <class Element>
bool is_unwritten(const OutputView& view, std::size_t index) {
  constexpr std::size_t kSize = sizeof(typename Element::Stored);
  return view.before && tensor::is_poison(view.bytes, index * kSize, kSize, *view.before);
}

template <class Element>
bool nobody_wrote(const OutputView& got, const OutputView& want, std::size_t index) {
  return got.before != want.before && is_unwritten<Element>(got, index) &&
         is_unwritten<Element>(want, index);
}

template <class Element>
bool is_nan(const OutputView& view, std::size_t index) {
  if constexpr (Element::kFloating) return std::isnan(Element::read(view.bytes.data(), index));
  return false;
}

/// Notes what is wrong with one element: nobody wrote it, or it is no number.
template <class Element>
void explain(const OutputView& got, const OutputView& want, std::size_t index, Differences& into) {
  const bool unwritten = is_unwritten<Element>(got, index);
  const bool wanted_unwritten = is_unwritten<Element>(want, index);
  const bool wanted_nan = !wanted_unwritten && is_nan<Element>(want, index);
  into.unwritten += unwritten ? 1U : 0U;
  into.wanted_unwritten += wanted_unwritten ? 1U : 0U;
  into.wanted_nans += wanted_nan ? 1U : 0U;
  into.nans += !unwritten && !wanted_nan && is_nan<Element>(got, index) ? 1U : 0U;
}

/// Sentences where elements are wrong because nobody wrote them, or because they are no numbers.
std::string about_written(const Differences& here) {
  std::string text;
  if (here.unwritten > 0) {
    text += fmt::format(
        ". {} of them still hold what was there before the run: the output seems not to have been "
        "written",
        here.unwritten);
  }
  if (here.wanted_unwritten > 0) {
    text += fmt::format(". Of the expected ones {} seem not to have been written",
                        here.wanted_unwritten);
  }
  if (here.nans > 0) {
    text += fmt::format(". {} of them are NaN where the reference has a number", here.nans);
  }
  if (here.wanted_nans > 0) {
    text += fmt::format(". Of the expected ones {} are NaN, which agrees with nothing",
                        here.wanted_nans);
  }
  return text;
}

template <class Element>
Differences compare_stretch(const OutputView& got, const OutputView& want, const Limit& limit,
                            std::size_t from, std::size_t to) {
  Differences result{.compared = to - from};
  for (std::size_t i = from; i < to; ++i) {
    const double difference = difference_between<Element>(got.bytes.data(), want.bytes.data(), i);
    result.sum += difference;
    if (difference > result.max || std::isnan(difference)) result.max = difference;
    const double used = part_used_at<Element>(got.bytes.data(), want.bytes.data(), i, limit);
    result.used = std::max(result.used, used);
    if (used <= 1 && !(std::isnan(difference) && nobody_wrote<Element>(got, want, i))) continue;
    explain<Element>(got, want, i, result);
    if (result.mismatches++ > 0) continue;
    result.first = Mismatch{.output = got.name,
                            .index = position_of(i, got.shape),
                            .got = tensor::format_element(got.dtype, got.bytes, i),
                            .want = tensor::format_element(want.dtype, want.bytes, i)};
  }
  return result;
}

}  // namespace

double part_used(double got, double want, std::size_t index, const Limit& limit) {
  if (got == want) return 0;  // infinities of one sign too
  if (limit.tolerance.equal_nan && std::isnan(got) && std::isnan(want)) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return kInfinity;
  const double allowed = allowed_at(want, index, limit);
  const double difference = std::abs(got - want);
  return difference <= allowed ? difference / allowed : std::max(difference / allowed, kJustOver);
}

Differences compare_elements(const OutputView& got, const OutputView& want, const Limit& limit) {
  const std::size_t count = element_count(got.shape);
  std::vector<Differences> parts(tensor::stretch_count(count));
  tensor::with_element(got.dtype, [&](auto element) {
    tensor::in_stretches(count, [&](std::size_t i, std::size_t from, std::size_t to) {
      parts[i] = compare_stretch<decltype(element)>(got, want, limit, from, to);
    });
  });
  Differences result;
  for (const Differences& part : parts) add(result, part);
  return result;
}

std::optional<WrongAnswer> nothing_to_compare(const std::vector<OutputView>& outputs, int round) {
  for (const OutputView& output : outputs) {
    if (element_count(output.shape) > 0) return std::nullopt;
  }
  return WrongAnswer{.reason = "There is nothing to compare: the outputs hold no element",
                     .rule = "structure",
                     .round = round};
}

std::optional<WrongAnswer> compare_outputs(const std::vector<OutputView>& got,
                                           const std::vector<OutputView>& want,
                                           const std::vector<Limit>& limits, int round,
                                           Differences& totals) {
  if (auto wrong = compare_structure(got, want, round)) return wrong;
  if (auto wrong = nothing_to_compare(got, round)) return wrong;
  Differences here;
  Tolerance tolerance = limits.front().tolerance;  // of the first output that is wrong
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Differences output = compare_elements(got[i], want[i], limits[i]);
    if (here.mismatches == 0) tolerance = limits[i].tolerance;
    if (output.used > totals.used) totals.worst = i;
    totals.used = std::max(totals.used, output.used);
    add(here, output);
  }
  add(totals, here);
  if (here.mismatches == 0) return std::nullopt;
  return WrongAnswer{
      .reason = fmt::format("{} of {} elements differ by more than the tolerance in round {}. Max "
                            "difference: {:.6e}, Avg difference: {:.6e}, atol={:.3g}, rtol={:.3g}",
                            here.mismatches, here.compared, round, here.max, here.mean(),
                            tolerance.atol, tolerance.rtol) +
                about_written(here),
      .rule = here.unwritten == here.mismatches ? "unwritten" : "tolerance",
      .first = here.first,
      .mismatches = here.mismatches,
      .compared = here.compared,
      .round = round};
}

}  // namespace assay::judge
