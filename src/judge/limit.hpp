#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/request.hpp"

namespace assay::judge {

/// What is known of the expected outputs of one round, beside themselves.
struct Evidence {
  ToleranceRule rule = ToleranceRule::measured;
  Tolerance given;  // of the other rules
  Allowed allow;
  /// The outputs in float64; empty where the reference cannot be run so.
  std::vector<OutputView> precise{};
  /// The outputs for inputs whose last bits were changed; empty where nobody looked. They are in
  /// float64 if `precise` is there.
  std::vector<OutputView> nudged{};
  DType precision = DType::float64;  // the lowest that the reference computes in, so far as known
  DType inputs = DType::float32;     // the lowest precision of the inputs, whose last bits changed
  double terms = 1;                  // that one element sums up, about
  /// Set if the inputs are not the author's own: how many times larger the outputs are than for the
  /// author's inputs.
  std::optional<double> growth{};
};

/// The limit of one output, and how much of it is the reference's own uncertainty.
struct Measured {
  Limit limit;
  double size = 0;                   // of the output's elements, typically
  double noise = 0;                  // the reference's own uncertainty, in the same unit
  DType precision = DType::float64;  // that an honest answer is computed in
  bool has_precise = false;
};

/// `output` is the position of `want` in the evidence's lists.
[[nodiscard]] Measured measure_limit(const OutputView& want, std::size_t output,
                                     const Evidence& evidence);

/// Whether a run in float64 gave an answer so different that it says nothing of this one's error.
[[nodiscard]] bool is_unrelated(const OutputView& want, const OutputView& precise);

/// A limit for the next precision below, and the name by which a request allows it.
struct Allowance {
  std::string_view name;
  Limit limit;
};
/// The next allowance below a measured limit; nothing if no request can allow less.
[[nodiscard]] std::optional<Allowance> next_allowance(const Measured& measured);

/// What honest kernels of this precision may differ by, relative to the output. It is some units of
/// roundoff where an element is rounded once. For float32, where whole kernels compute in it, it is
/// what orders of summation and fast functions make of thousands of roundings. Half of what one
/// precision lower is off.
[[nodiscard]] double honest_difference(DType precision);

/// A result rounded once to `dtype` is off by this part of itself at most.
[[nodiscard]] double unit_roundoff(DType dtype);

}  // namespace assay::judge
