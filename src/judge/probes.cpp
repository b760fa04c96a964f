#include "judge/probes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "judge/sample.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "tensor/element.hpp"

namespace assay::judge {
namespace {

constexpr std::size_t kEnough = 16;  // numbers that are not near their rounded ones by chance

/// Rounded to so many bits of significand.
double rounded(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits);
}

/// Bits of significand of the next precision below: TF32 under float32, an 8-bit float under the
/// halves.
int bits_below(DType dtype) {
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

/// Whether elements made by `make` of the wanted ones would pass.
template <class Make>
bool passes(const OutputView& want, const Limit& limit, const Make& make) {
  const std::size_t count = element_count(want.shape);
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = tensor::read_element(want.dtype, want.bytes, i);
    if (part_used(make(wanted), wanted, i, limit) > 1) return false;
  }
  return count > 0;
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
  const std::size_t count = element_count(want.shape);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = tensor::read_element(got.dtype, got.bytes, i);
    const double b = tensor::read_element(want.dtype, want.bytes, i);
    if (is_floating(want.dtype) ? part_used(a, b, i, limit) > 1 : a != b) return false;
  }
  return true;
}

std::vector<Shortcut> passing_shortcuts(const OutputView& want, const Limit& limit,
                                        const std::vector<OutputView>& inputs) {
  std::vector<Shortcut> found;
  if (!is_floating(want.dtype) || element_count(want.shape) == 0) return found;
  if (passes(want, limit, [](double) { return 0.0; })) found.push_back(Shortcut::zeros);
  const double mean = mean_of(want);
  if (element_count(want.shape) > 1 && passes(want, limit, [&](double) { return mean; })) {
    found.push_back(Shortcut::constant);
  }
  if (std::ranges::any_of(
          inputs, [&](const OutputView& input) { return agrees_throughout(input, want, limit); })) {
    found.push_back(Shortcut::copy_of_input);
  }
  const int bits = bits_below(want.dtype);
  std::size_t changed = 0;
  const bool lower = passes(want, limit, [&](double value) {
    const double less = rounded(value, bits);
    if (less != value) ++changed;
    return less;
  });
  if (lower && changed >= kEnough) found.push_back(Shortcut::lower_precision);
  return found;
}

std::optional<std::string> constant_complaint(const OutputView& got, const OutputView& want,
                                              double noise) {
  const std::size_t count = element_count(got.shape);
  if (count < 2 || !is_floating(got.dtype)) return std::nullopt;
  const double first = tensor::read_element(got.dtype, got.bytes, 0);
  for (std::size_t i = 1; i < count; ++i) {
    if (tensor::read_element(got.dtype, got.bytes, i) != first) return std::nullopt;
  }
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
