#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {

/// An answer that rounds a sum, or asks whether it is above zero, jumps where the sum lies at an
/// edge. Two honest kernels add up in other orders, and may then fall on either side. Such an
/// element is no mistake if the reference itself gives it when its inputs change by as little as
/// sums are off.
class Edges {
 public:
  /// Gives the reference its inputs again.
  using Fill = std::function<Attempt<void>()>;

  /// `reference` outlives this. `inputs` are the tensors that it is given, in order.
  Edges(Contender& reference, std::vector<TensorLeaf> inputs)
      : reference_(reference), inputs_(std::move(inputs)) {}

  /// Whether all that differs are indices of equal numbers in the inputs. Afterwards the reference
  /// has its inputs again.
  [[nodiscard]] Attempt<bool> are_ties(const Answer& got, const Answer& want,
                                       const std::vector<judge::Limit>& limits, const Fill& fill,
                                       const Bounds& bounds);

  /// Whether a wrong answer has so few wrong elements that edges could explain it.
  [[nodiscard]] static bool may_explain(const WrongAnswer& wrong);

  /// Whether every element that differs is such a one. Runs the reference up to 32 times, for some
  /// seconds at most. Afterwards it has its inputs again.
  [[nodiscard]] Attempt<bool> explain(const Answer& got, const Answer& want,
                                      const std::vector<judge::Limit>& limits, const Fill& fill,
                                      const Bounds& bounds);

 private:
  [[nodiscard]] Attempt<bool> is_tie(const judge::OutputView& got, const judge::OutputView& want,
                                     std::size_t output, const judge::Limit& limit,
                                     const Bounds& bounds);
  [[nodiscard]] Attempt<bool> gives_over(std::vector<std::span<const std::byte>> contents,
                                         const judge::OutputView& wanted, std::size_t output,
                                         const judge::Limit& limit, const Bounds& bounds);
  [[nodiscard]] Attempt<bool> shake(int run, const Fill& fill);

  Contender& reference_;
  std::vector<TensorLeaf> inputs_;
  std::vector<tensor::Bytes> copies_;  // of the inputs, changed; the reference looks into them
};

}  // namespace assay::eval
