#include "judge/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <device_code/work.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include "judge/compare_stretch.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"
#include "tensor/element.hpp"
#include "tensor/kind.hpp"
#include "tensor/stretches.hpp"

namespace assay::judge {
namespace {

static_assert(tensor::kStretch == work::kStretch);

std::vector<std::int64_t> position_of(std::size_t index, const Shape& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    position[d] = static_cast<std::int64_t>(index % extent);
    index /= extent;
  }
  return position;
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

/// Sentences where elements are wrong because nobody wrote them, or because they are no numbers.
std::string about_written(const Differences& here) {
  std::string text;
  if (here.unwritten > 0) {
    text += fmt::format(
        ". {} of them still hold what was there before the run: the output seems not to have been "
        "written. Look whether the grid covers all of it",
        here.unwritten);
  }
  if (here.wanted_unwritten > 0) {
    text += fmt::format(
        ". {} of the expected elements seem not to have been written: look at the reference, and "
        "whether the contract makes the output too large",
        here.wanted_unwritten);
  }
  if (here.nans > 0) {
    text += fmt::format(". {} of them are NaN where the reference has a number", here.nans);
  }
  if (here.wanted_nans > 0) {
    text += fmt::format(
        ". {} of the expected elements are NaN, which agrees with NaN alone, and only if the "
        "output has numbers too",
        here.wanted_nans);
  }
  return text;
}

/// Nothing where it is no number, or where wrong elements hold none.
std::string how_far_apart(const Differences& here) {
  if (!std::isfinite(here.max) || here.max == 0) return "";
  return fmt::format("Max difference: {:.6e}, Avg difference: {:.6e}, ", here.max, here.mean());
}

std::vector<work::Stretch> compare_stretches(const OutputView& got, const OutputView& want,
                                             const Limit& limit) {
  const auto pattern = [](const OutputView& view) {
    return view.before ? tensor::pattern_of(*view.before) : work::kNoPattern;
  };
  const work::CompareTask task{.got = got.bytes.data(),
                               .want = want.bytes.data(),
                               .count = element_count(got.shape),
                               .kind = tensor::kind_of(got.dtype),
                               .bound = bound_of(limit),
                               .got_before = pattern(got),
                               .want_before = pattern(want)};
  std::vector<work::Stretch> stretches(tensor::stretch_count(task.count));
  if (auto* const accelerator = tensor::accelerator_of({got.bytes, want.bytes, limit.precise})) {
    if (accelerator->run({.kernel = "assay_compare", .blocks = stretches.size()}, task,
                         std::span(stretches))) {
      return stretches;
    }
  }
  tensor::in_stretches(task.count, [&](std::size_t i, std::size_t from, std::size_t to) {
    stretches[i] = compare_stretch(task, from, to);
  });
  return stretches;
}

}  // namespace

work::Bound bound_of(const Limit& limit) {
  return {.atol = limit.tolerance.atol,
          .rtol = limit.tolerance.rtol,
          .precise = limit.precise.data(),
          .equal_nan = limit.tolerance.equal_nan ? 1U : 0U};
}

Differences compare_elements(const OutputView& got, const OutputView& want, const Limit& limit) {
  Differences result{.compared = element_count(got.shape)};
  if (result.compared == 0) return result;
  work::Stretch total = work::nothing_found();
  for (const work::Stretch& stretch : compare_stretches(got, want, limit)) {
    work::add_part(total, stretch);
    total.sum = work::plus(total.sum, stretch.sum);
  }
  result.mismatches = total.mismatches;
  result.unwritten = total.unwritten;
  result.wanted_unwritten = total.wanted_unwritten;
  result.nans = total.nans;
  result.wanted_nans = total.wanted_nans;
  result.max = total.max;
  result.sum = total.sum;
  result.used = total.used;
  if (total.mismatches > 0) {
    result.first = Mismatch{.output = got.name,
                            .index = position_of(total.first, got.shape),
                            .got = tensor::format_element(got.dtype, got.bytes, total.first),
                            .want = tensor::format_element(want.dtype, want.bytes, total.first)};
  }
  return result;
}

std::vector<std::size_t> differing_stretches(const OutputView& got, const OutputView& want,
                                             const Limit& limit) {
  std::vector<std::size_t> found;
  const auto stretches = compare_stretches(got, want, limit);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].mismatches > 0) found.push_back(i);
  }
  return found;
}

bool agrees_where_finite(const OutputView& got, const OutputView& want, const Limit& limit) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;  // that are copied to the host
  if (got.shape != want.shape || got.dtype != want.dtype) return false;
  if (got.bytes.size() > kMostBytes) return false;
  if (!is_floating(got.dtype)) return compare_elements(got, want, limit).mismatches == 0;
  const tensor::Readable given(got.bytes);
  const tensor::Readable wanted(want.bytes);
  std::vector<std::byte> mended(given.bytes().begin(), given.bytes().end());
  const std::size_t size = size_of(got.dtype);
  for (std::size_t i = 0; i < element_count(got.shape); ++i) {
    if (std::isfinite(tensor::read_element(got.dtype, given.bytes(), i))) continue;
    std::copy_n(wanted.bytes().begin() + static_cast<std::ptrdiff_t>(i * size), size,
                mended.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  OutputView finite = got;
  finite.bytes = mended;
  OutputView there = want;
  there.bytes = wanted.bytes();
  const tensor::Readable precise(limit.precise);
  Limit here = limit;
  here.precise = precise.bytes();
  return compare_elements(finite, there, here).mismatches == 0;
}

namespace {

/// Which of several outputs is meant. The only one of a Python kernel is called just that.
std::string which(const OutputView& output) {
  return output.name == "output" ? "" : fmt::format(" (output {})", output.name);
}

}  // namespace

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
      return WrongAnswer{.reason = fmt::format("Shape mismatch: ref=[{}], custom=[{}]{}",
                                               fmt::join(want[i].shape, ", "),
                                               fmt::join(got[i].shape, ", "), which(got[i])),
                         .rule = "structure",
                         .round = round};
    }
    if (got[i].dtype != want[i].dtype) {
      return WrongAnswer{
          .reason = fmt::format("Dtype mismatch: ref={}, custom={}{}", to_string(want[i].dtype),
                                to_string(got[i].dtype), which(got[i])),
          .rule = "structure",
          .round = round};
    }
    if (got[i].is_array && !want[i].is_array) {
      return WrongAnswer{.reason = fmt::format("A numpy array, where the reference returns a "
                                               "tensor{}: return a torch.Tensor",
                                               which(got[i])),
                         .rule = "structure",
                         .round = round};
    }
  }
  return std::nullopt;
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
    if (got[i].is_untouched && want[i].is_untouched) continue;  // NaN among them agrees with itself
    const Differences output = compare_elements(got[i], want[i], limits[i]);
    if (here.mismatches == 0) tolerance = limits[i].tolerance;
    if (output.used > totals.used) totals.worst = i;
    totals.used = std::max(totals.used, output.used);
    add(here, output);
  }
  add(totals, here);
  if (here.mismatches == 0) return std::nullopt;
  return WrongAnswer{
      .reason = fmt::format("{} of {} elements differ by more than the tolerance in round {}. {}"
                            "atol={:.3g}, rtol={:.3g}",
                            here.mismatches, here.compared, round, how_far_apart(here),
                            tolerance.atol, tolerance.rtol) +
                about_written(here),
      .rule = here.unwritten == here.mismatches ? "unwritten" : "tolerance",
      .first = here.first,
      .mismatches = here.mismatches,
      .compared = here.compared,
      .round = round};
}

}  // namespace assay::judge
