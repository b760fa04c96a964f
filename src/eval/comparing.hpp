#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/answer.hpp"
#include "eval/expectation.hpp"
#include "eval/pair.hpp"
#include "judge/compare.hpp"
#include "judge/parts.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/distribution.hpp"

namespace assay::eval {

/// What is known when two answers are compared.
struct Circumstances {
  const Expectation& known;  // of this answer of the reference, or of one to much the same inputs
  const tensor::Distribution& distribution;
  int round = 0;
};

/// Compares answers of the candidate with those of the reference, and keeps what it saw.
class Comparing {
 public:
  /// All must outlive this.
  Comparing(const Request& request, Pair& pair, const Expecting& expecting, Outcome& outcome)
      : request_(request), pair_(pair), expecting_(expecting), outcome_(outcome) {}

  /// What is wrong; nothing where they agree.
  [[nodiscard]] std::optional<WrongAnswer> compare(const Answer& answer, const Answer& expected,
                                                   const Circumstances& at);
  /// What is wrong with outputs that are inputs changed a little; `inputs` are those of the
  /// expected answer. Sets `any` if there are such outputs.
  [[nodiscard]] std::optional<WrongAnswer> wrong_changes(
      const Answer& answer, const Answer& expected, const std::vector<judge::OutputView>& inputs,
      const Circumstances& at, bool& any) const;
  /// Whether parts of an answer are judged by their own size: over the author's own inputs, where
  /// nobody chose a tolerance.
  [[nodiscard]] bool judges_parts(const Answer& expected, const Circumstances& at) const;
  /// Whether the only wrong elements are those that are not finite where the expected ones are.
  [[nodiscard]] bool only_overflows(const Answer& answer, const Answer& expected,
                                    const Circumstances& at) const;
  /// How far the elements of each output may be apart.
  [[nodiscard]] std::vector<judge::Limit> limits_of(const Answer& expected,
                                                    const Circumstances& at) const;
  /// Goes back to what was seen at `before`, because the answers since then do not count.
  void forget(judge::Differences before, std::optional<ToleranceUsed> used);
  /// Weights that differ explain a wrong answer better than its elements do.
  [[nodiscard]] WrongAnswer explained(WrongAnswer wrong) const;

  [[nodiscard]] const judge::Differences& differences() const { return differences_; }

 private:
  [[nodiscard]] std::optional<WrongAnswer> no_work(const Answer& answer, const Answer& expected,
                                                   const Circumstances& at) const;
  [[nodiscard]] std::optional<WrongAnswer> wrong_parts(const Answer& answer, const Answer& expected,
                                                       const std::vector<judge::Limit>& limits,
                                                       const Circumstances& at) const;
  [[nodiscard]] judge::Known known_of(std::size_t output, const Circumstances& at) const;
  [[nodiscard]] std::string advice(const Answer& answer, const Answer& expected,
                                   const Circumstances& at) const;
  void note_used(const Answer& expected, const std::vector<judge::Limit>& limits, double before,
                 const Circumstances& at);

  const Request& request_;
  Pair& pair_;
  const Expecting& expecting_;
  Outcome& outcome_;
  judge::Differences differences_;  // over all answers so far
};

}  // namespace assay::eval
