#include "judge/limit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "judge/compare.hpp"
#include "judge/sample.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"

namespace assay::judge {
namespace {

constexpr double kMargin = 4;        // of one honest way to compute over another
constexpr double kOfMedian = 8;      // no element counts as larger than so many typical ones
constexpr double kUnrelated = 0.05;  // a float64 run so far off computes something else
constexpr double kMostTerms = 1e8;

double relative_allowed(DType precision, const Allowed& allow) {
  double relative = honest_difference(precision);
  if (allow.tf32 || allow.float16) relative = std::max(relative, 2.5e-3);
  if (allow.bfloat16) relative = std::max(relative, 3e-2);
  if (allow.float8) relative = std::max(relative, 0.25);
  return relative;
}

DType lower_of(DType a, DType b) {
  return unit_roundoff(a) >= unit_roundoff(b) ? a : b;
}

/// Root mean square, but no more than the typical element allows: a mask of -1e9 says nothing of
/// the numbers beside it.
double size_of_elements(const std::vector<double>& values) {
  double squares = 0;
  std::size_t finite = 0;
  std::vector<double> sizes;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    ++finite;
    squares += value * value;
    if (value != 0) sizes.push_back(std::abs(value));
  }
  if (sizes.empty()) return 0;
  const double rms = std::sqrt(squares / static_cast<double>(finite));
  return std::min(rms, kOfMedian * quantile(std::move(sizes), 0.5));
}

/// NaN is a part of some answers: of a softmax, in rows where all is masked. Nothing but NaN says
/// nothing.
bool has_numbers(const std::vector<double>& values) {
  return !std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

/// How many times as far orders of summation take sums apart as the last bits of the inputs do.
/// Numbers of 16 bits are summed up in float32, where each step loses far less than their last bit.
double orders_of_summation(const Evidence& evidence) {
  const double terms = std::clamp(evidence.terms, 1.0, kMostTerms);
  const double step = unit_roundoff(DType::float32) / unit_roundoff(evidence.inputs);
  return std::max(1.0, std::sqrt(terms) * std::min(1.0, step));
}

/// How far the reference's answers are off, beyond the rounding to their own dtype: the tolerance
/// has room for that anyhow. Twice the room would let eight bits pass for sixteen.
std::vector<double> errors_beyond_rounding(const std::vector<double>& values,
                                           const std::vector<double>& precise, DType dtype) {
  auto errors = distances(values, precise);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] > 0)
      errors[i] = std::max(0.0, errors[i] - unit_roundoff(dtype) * std::abs(precise[i]));
  }
  return errors;
}

}  // namespace

double honest_difference(DType precision) {
  switch (precision) {
    case DType::float64:
      return 1e-9;
    case DType::float32:
      return 1e-4;
    case DType::float16:
      return 2e-3;
    case DType::float8_e4m3fn:  // one step more or less, where rounding fell on the other side
      return 0.15;
    case DType::float8_e5m2:
      return 0.3;
    default:
      return 1.6e-2;
  }
}

double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 0x1p-53;
    case DType::float32:
      return 0x1p-24;
    case DType::float16:
      return 0x1p-11;
    case DType::bfloat16:
      return 0x1p-8;
    case DType::float8_e4m3fn:
      return 0x1p-4;
    case DType::float8_e5m2:
      return 0x1p-3;
    default:
      return 0;
  }
}

bool is_unrelated(const OutputView& want, const OutputView& precise) {
  if (!is_floating(want.dtype) || element_count(want.shape) == 0) return false;
  const Sample sample(element_count(want.shape));
  const auto values = sample.of(want);
  return quantile(distances(values, sample.of(precise)), 0.5) >
         kUnrelated * size_of_elements(values);
}

Measured measure_limit(const OutputView& want, std::size_t output, const Evidence& evidence) {
  Measured result{.limit = Limit(evidence.given)};
  if (!is_floating(want.dtype) || element_count(want.shape) == 0) return result;
  const Sample sample(element_count(want.shape));
  const auto values = sample.of(want);
  result.size = size_of_elements(values);
  result.limit.tolerance.equal_nan = has_numbers(values);

  const bool precise_there = output < evidence.precise.size();
  std::vector<double> base = precise_there ? sample.of(evidence.precise[output]) : values;
  if (precise_there) {
    result.has_precise = !is_unrelated(want, evidence.precise[output]);
    if (result.has_precise) {
      result.noise = kMargin * quantile(errors_beyond_rounding(values, base, want.dtype), 0.999);
      // A source that casts to a dtype by name answers in it here too.
      if (evidence.precise[output].dtype == DType::float64) {
        result.limit.precise = evidence.precise[output].bytes;
      }
    } else {
      base = values;
    }
  }
  if (output < evidence.nudged.size() && result.has_precise == precise_there) {
    const auto moved = distances(sample.of(evidence.nudged[output]), base);
    result.noise += kMargin * orders_of_summation(evidence) * quantile(moved, 0.999);
  }

  result.precision = lower_of(want.dtype, evidence.precision);
  const double relative = relative_allowed(result.precision, evidence.allow);
  const double measured = relative * result.size + result.noise;
  Tolerance& tolerance = result.limit.tolerance;
  switch (evidence.rule) {
    case ToleranceRule::request:
      if (evidence.growth) {  // chosen for the author's inputs, and these are others
        tolerance.atol = std::max(tolerance.atol * std::max(1.0, *evidence.growth), measured);
      } else {
        result.limit.precise = {};
      }
      break;
    case ToleranceRule::compatible:
      tolerance.atol = evidence.given.atol * result.size + result.noise;
      break;
    case ToleranceRule::measured:
      tolerance.atol = measured;
      tolerance.rtol = relative;
      break;
  }
  return result;
}

std::optional<Allowance> next_allowance(const Measured& measured) {
  Allowed allow;
  Allowance next{.name = "", .limit = measured.limit};
  if (measured.precision == DType::float32) {
    next.name = "tf32";
    allow.tf32 = true;
  } else if (measured.precision == DType::float16) {
    next.name = "bfloat16";
    allow.bfloat16 = true;
  } else {
    return std::nullopt;
  }
  const double relative = relative_allowed(measured.precision, allow);
  next.limit.tolerance.atol = relative * measured.size + measured.noise;
  next.limit.tolerance.rtol = relative;
  return next;
}

}  // namespace assay::judge
