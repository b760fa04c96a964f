#include "judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

std::vector<std::int64_t> position_of(std::size_t index, const Shape& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    position[d] = static_cast<std::int64_t>(index % extent);
    index /= extent;
  }
  return position;
}

bool agrees(double got, double want, const Tolerance& tolerance) {
  if (got == want) return true;  // infinities of one sign too
  if (tolerance.equal_nan && std::isnan(got) && std::isnan(want)) return true;
  if (!std::isfinite(got) || !std::isfinite(want)) return false;
  return std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

std::optional<WrongAnswer> compare_structure(const std::vector<OutputView>& got,
                                             const std::vector<OutputView>& want, int round) {
  if (got.size() != want.size()) {
    return WrongAnswer{
        .reason = fmt::format("Output count mismatch: ref={}, custom={}", want.size(), got.size()),
        .round = round};
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].shape != want[i].shape) {
      return WrongAnswer{.reason = fmt::format("Shape mismatch: ref=[{}], custom=[{}] (output {})",
                                               fmt::join(want[i].shape, ", "),
                                               fmt::join(got[i].shape, ", "), got[i].name),
                         .round = round};
    }
    if (got[i].dtype != want[i].dtype) {
      return WrongAnswer{
          .reason = fmt::format("Dtype mismatch: ref={}, custom={} (output {})",
                                to_string(want[i].dtype), to_string(got[i].dtype), got[i].name),
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
  totals.sum += part.sum;
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
bool same_element(const std::byte* got, const std::byte* want, std::size_t index,
                  const Tolerance& tolerance) {
  if constexpr (Element::kFloating) {
    return agrees(Element::read(got, index), Element::read(want, index), tolerance);
  } else {
    return Element::load(got, index) == Element::load(want, index);
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

/// A sentence where elements are wrong because nobody wrote them.
std::string about_unwritten(const Differences& here) {
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
  return text;
}

template <class Element>
Differences compare_stretch(const OutputView& got, const OutputView& want,
                            const Tolerance& tolerance, std::size_t from, std::size_t to) {
  Differences result{.compared = to - from};
  for (std::size_t i = from; i < to; ++i) {
    const double difference = difference_between<Element>(got.bytes.data(), want.bytes.data(), i);
    result.sum += difference;
    if (difference > result.max || std::isnan(difference)) result.max = difference;
    const bool same = same_element<Element>(got.bytes.data(), want.bytes.data(), i, tolerance);
    if (same && !(std::isnan(difference) && nobody_wrote<Element>(got, want, i))) continue;
    if (is_unwritten<Element>(got, i)) ++result.unwritten;
    if (is_unwritten<Element>(want, i)) ++result.wanted_unwritten;
    if (result.mismatches++ > 0) continue;
    result.first = Mismatch{.output = got.name,
                            .index = position_of(i, got.shape),
                            .got = tensor::format_element(got.dtype, got.bytes, i),
                            .want = tensor::format_element(want.dtype, want.bytes, i)};
  }
  return result;
}

}  // namespace

Differences compare_elements(const OutputView& got, const OutputView& want,
                             const Tolerance& tolerance) {
  const std::size_t count = element_count(got.shape);
  std::vector<Differences> parts(tensor::stretch_count(count));
  tensor::with_element(got.dtype, [&](auto element) {
    tensor::in_stretches(count, [&](std::size_t i, std::size_t from, std::size_t to) {
      parts[i] = compare_stretch<decltype(element)>(got, want, tolerance, from, to);
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
                     .round = round};
}

std::optional<WrongAnswer> compare_outputs(const std::vector<OutputView>& got,
                                           const std::vector<OutputView>& want,
                                           const Tolerance& tolerance, int round,
                                           Differences& totals) {
  if (auto wrong = compare_structure(got, want, round)) return wrong;
  if (auto wrong = nothing_to_compare(got, round)) return wrong;
  Differences here;
  for (std::size_t i = 0; i < got.size(); ++i) {
    add(here, compare_elements(got[i], want[i], tolerance));
  }
  add(totals, here);
  if (here.mismatches == 0) return std::nullopt;
  return WrongAnswer{
      .reason = fmt::format("{} of {} elements differ by more than the tolerance in round {}. Max "
                            "difference: {:.6e}, Avg difference: {:.6e}, atol={}, rtol={}",
                            here.mismatches, here.compared, round, here.max, here.mean(),
                            tolerance.atol, tolerance.rtol) +
                about_unwritten(here),
      .first = here.first,
      .mismatches = here.mismatches,
      .compared = here.compared,
      .round = round};
}

}  // namespace assay::judge
