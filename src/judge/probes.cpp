#include "judge/probes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <device_code/work.hpp>
#include <fmt/core.h>

#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "judge/sample.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "tensor/accelerator.hpp"
#include "tensor/bytes.hpp"
#include "tensor/element.hpp"
#include "tensor/kind.hpp"

namespace assay::judge {
namespace {

constexpr std::size_t kEnough = 16;  // numbers that are not near their rounded ones by chance

/// Bits of significand of the next precision below: TF32 under float32, an 8-bit float under the
/// halves.
std::uint32_t bits_below(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 24;
    case DType::float32:
      return 11;
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      return 1;  // nothing is in use below them
    default:
      return 4;
  }
}

/// What becomes of the expected elements where they are answered by something else.
work::ShortcutFound answered_by(const work::ShortcutTask& task, const OutputView& want,
                                std::span<const std::byte> other, const Limit& limit) {
  std::array<work::ShortcutFound, 1> found{};
  if (auto* const accelerator = tensor::accelerator_of({want.bytes, other, limit.precise})) {
    if (accelerator->run({.kernel = "assay_shortcut", .elements = task.count}, task,
                         std::span<work::ShortcutFound>(found))) {
      return found[0];
    }
  }
  tensor::with_kind(want.dtype, [&](auto kind) {
    // Most answers do not pass, and by their first elements.
    for (std::size_t i = 0; i < task.count && found[0].failures == 0; ++i) {
      work::try_shortcut(kind, task, i, found[0]);
    }
  });
  return found[0];
}

work::ShortcutTask shortcut_for(const OutputView& want, const Limit& limit,
                                work::Shortcut shortcut) {
  return {.want = want.bytes.data(),
          .other = nullptr,
          .count = element_count(want.shape),
          .kind = tensor::kind_of(want.dtype),
          .bound = bound_of(limit),
          .shortcut = shortcut,
          .constant = 0,
          .bits = 0};
}

bool constant_passes(const OutputView& want, const Limit& limit, double constant) {
  auto task = shortcut_for(want, limit, work::Shortcut::constant);
  task.constant = constant;
  return answered_by(task, want, {}, limit).failures == 0;
}

bool lower_precision_passes(const OutputView& want, const Limit& limit) {
  auto task = shortcut_for(want, limit, work::Shortcut::fewer_bits);
  task.bits = bits_below(want.dtype);
  const auto found = answered_by(task, want, {}, limit);
  return found.failures == 0 && found.changed >= kEnough;
}

/// Whether all elements are the same number.
bool is_constant(const OutputView& view) {
  constexpr std::size_t kFew = 64;
  const std::size_t count = element_count(view.shape);
  const tensor::Readable start(view.bytes.first(std::min(kFew, count) * size_of(view.dtype)));
  const double first = tensor::read_element(view.dtype, start.bytes(), 0);
  for (std::size_t i = 1; i < std::min(kFew, count); ++i) {
    if (tensor::read_element(view.dtype, start.bytes(), i) != first) return false;
  }
  return constant_passes(view, Tolerance{.atol = 0, .rtol = 0}, first);
}

double mean_of(const OutputView& want) {
  const auto values = Sample(element_count(want.shape)).of(want);
  double sum = 0;
  std::size_t finite = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++finite;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

}  // namespace

std::string_view to_string(Shortcut shortcut) {
  switch (shortcut) {
    case Shortcut::zeros:
      return "zeros";
    case Shortcut::constant:
      return "constant";
    case Shortcut::copy_of_input:
      return "copy_of_input";
    case Shortcut::lower_precision:
      return "lower_precision";
  }
  std::unreachable();
}

bool agrees_throughout(const OutputView& got, const OutputView& want, const Limit& limit) {
  if (got.shape != want.shape || got.dtype != want.dtype) return false;
  auto task = shortcut_for(want, limit, work::Shortcut::other_array);
  task.other = got.bytes.data();
  return answered_by(task, want, got.bytes, limit).failures == 0;
}

bool are_finite(const std::vector<OutputView>& views) {
  return std::ranges::all_of(views, [](const OutputView& view) {
    const auto values = Sample(element_count(view.shape)).of(view);
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  });
}

std::vector<Shortcut> passing_shortcuts(const OutputView& want, const Limit& limit,
                                        const std::vector<OutputView>& inputs) {
  std::vector<Shortcut> found;
  if (!is_floating(want.dtype) || element_count(want.shape) == 0) return found;
  if (constant_passes(want, limit, 0)) found.push_back(Shortcut::zeros);
  if (element_count(want.shape) > 1 && constant_passes(want, limit, mean_of(want))) {
    found.push_back(Shortcut::constant);
  }
  if (std::ranges::any_of(
          inputs, [&](const OutputView& input) { return agrees_throughout(input, want, limit); })) {
    found.push_back(Shortcut::copy_of_input);
  }
  if (lower_precision_passes(want, limit)) found.push_back(Shortcut::lower_precision);
  return found;
}

std::optional<std::string> constant_complaint(const OutputView& got, const OutputView& want,
                                              double noise) {
  const std::size_t count = element_count(got.shape);
  if (count < 2 || !is_floating(got.dtype)) return std::nullopt;
  if (!is_constant(got)) return std::nullopt;
  double low = 0;
  double high = 0;
  bool any = false;
  for (const double value : Sample(count).of(want)) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  const double rounding = 16 * unit_roundoff(want.dtype) * std::max(std::abs(low), std::abs(high));
  if (high - low <= std::max(2 * noise, rounding)) return std::nullopt;
  return fmt::format(
      "every element of '{}' is {}, where the expected ones go from {:.6g} to {:.6g}", got.name,
      tensor::format_element(got.dtype, got.bytes, 0), low, high);
}

}  // namespace assay::judge
