#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/compare.hpp"
#include "model/dtype.hpp"

namespace assay::judge {

/// An output of the reference whose error is known.
struct Known {
  OutputView answer;
  OutputView precise;                // the same in float64
  DType precision = DType::float64;  // that an honest answer is computed in
  double terms = 1;                  // that one element sums up, at most
};

/// What is wrong as a whole, although the tolerance of the output is too wide to see it.
struct PartComplaint {
  std::string rule;    // by its name in docs/judging.md
  std::string reason;  // a sentence
};

/// Looks at parts of an output that `limit` allows anything: rows far smaller than the others, and
/// what varies on top of a large constant. A part is wrong if most of it is far off, measured by
/// its own size. It is looked at only where the reference itself knows it well. `known` is this
/// answer of the reference, or one to much the same inputs.
[[nodiscard]] std::optional<PartComplaint> part_complaint(const OutputView& got,
                                                          const OutputView& want,
                                                          const Limit& limit, const Known& known);

/// What became of a small change.
struct SmallChange {
  bool any = false;  // the output is an input with a change that `limit` hardly sees
  std::optional<PartComplaint> complaint{};
};

/// An output may be one of the inputs, changed a little: a step of an optimizer, or a branch that
/// is scaled down. Then the change is judged as such a part is.
[[nodiscard]] SmallChange small_change(const OutputView& got, const OutputView& want,
                                       const Limit& limit, const Known& known,
                                       const std::vector<OutputView>& inputs);

}  // namespace assay::judge
