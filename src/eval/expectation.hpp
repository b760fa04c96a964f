#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/pair.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "model/dtype.hpp"
#include "model/request.hpp"
#include "model/tree.hpp"

namespace assay::eval {

/// What the reference answers in one round, and how far it is to be trusted.
struct Expectation {
  KeptAnswer answer;
  std::optional<KeptAnswer> precise;     // the limits look into it
  std::vector<judge::Measured> outputs;  // of each of the answer's views
  bool is_stable = true;                 // small errors stay small, and nothing overflows

  [[nodiscard]] std::vector<judge::Limit> limits() const;
};

/// Runs the reference over the inputs of a round as often as it takes to know its own error. It
/// runs in its own precision, in float64 if it can, and over inputs changed in their last bits.
class Expecting {
 public:
  Expecting(const Request& request, Pair& pair) : request_(request), pair_(pair) {}

  /// `transformed`: the inputs are not the author's own.
  [[nodiscard]] Attempt<Expectation> expect(const RoundInputs& inputs, bool transformed,
                                            const Bounds& bounds);
  /// The limits of another answer of the reference, to inputs much like those of `known`.
  [[nodiscard]] std::vector<judge::Limit> limits_like(const Expectation& known,
                                                      const Answer& answer) const;
  /// The tensors that the reference is given, in order.
  [[nodiscard]] std::vector<TensorLeaf> tensors(const RoundInputs& inputs) const;
  /// Whether a lower precision than the reference's own is allowed.
  [[nodiscard]] bool allows_less() const {
    const Allowed allow = allowed();
    return allow.tf32 || allow.float16 || allow.bfloat16 || allow.float8;
  }
  /// Numbers that one element of an output sums up, at most, so far as the inputs tell: all of the
  /// largest, or pairs of the two largest, as in a product of matrices.
  [[nodiscard]] double longest_sum(std::size_t output) const {
    return output < longest_sums_.size() ? longest_sums_[output] : 1;
  }
  /// Numbers that come into one of the answer, at most.
  [[nodiscard]] double most_terms() const {
    return terms_.empty() ? 1 : *std::ranges::max_element(terms_);
  }

 private:
  struct Evidence {
    std::optional<KeptAnswer> precise;
    std::optional<KeptAnswer> nudged;
    DType lowest = DType::float64;
  };
  [[nodiscard]] Attempt<void> run(const RoundInputs& inputs, const Bounds& bounds);
  [[nodiscard]] Attempt<void> judge_inputs_too(const Bounds& bounds);
  [[nodiscard]] Attempt<std::optional<KeptAnswer>> precisely(Evidence& evidence, bool of_last_run,
                                                             const Bounds& bounds);
  [[nodiscard]] Attempt<void> nudge(const RoundInputs& inputs, Evidence& evidence, bool of_last_run,
                                    const Bounds& bounds);
  [[nodiscard]] Expectation measured(KeptAnswer answer, Evidence evidence, bool transformed);

  [[nodiscard]] Allowed allowed() const;
  [[nodiscard]] double terms_of(std::size_t output) const {
    return output < terms_.size() ? terms_[output] : 1;
  }
  void size_up(const std::vector<TensorLeaf>& inputs, const Answer& answer);

  const Request& request_;
  Pair& pair_;
  bool sized_ = false;
  bool try_precise_ = true;
  bool too_slow_ = false;
  std::vector<double> terms_;  // that one element of each output sums up, about
  std::vector<double> longest_sums_;
  DType inputs_precision_ = DType::float32;
  std::vector<double> own_sizes_;       // of the outputs for the author's own inputs
  std::vector<double> own_infinities_;  // the part of them that is not finite
};

}  // namespace assay::eval
