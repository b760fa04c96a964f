#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "eval/blame.hpp"
#include "eval/compiled_store.hpp"
#include "eval/contender.hpp"
#include "eval/evaluation.hpp"
#include "eval/memory_shares.hpp"
#include "eval/native_contender.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"

namespace assay::eval {

/// The two kernels of an evaluation, from fresh runners to models that hold the same weights.
class Pair {
 public:
  /// All must outlive this.
  Pair(const EvaluationInput& input, RunnerSource& runners, Blame& blame)
      : Pair(input, runners, runners, blame) {}
  /// The same with runners of another kind for the candidate.
  Pair(const EvaluationInput& input, RunnerSource& runners, RunnerSource& candidates, Blame& blame)
      : input_(input),
        request_(input.request),
        runners_(runners),
        candidates_(candidates),
        blame_(blame) {}

  /// Before the budget counts: a Python that is slow to start is not the submission's doing.
  [[nodiscard]] Result<void> acquire_runners(const Bounds& patience);
  /// Loads both kernels, and constructs their models. Writes what is known then into `outcome`.
  [[nodiscard]] Attempt<void> prepare(Outcome& outcome, const Bounds& bounds);
  /// Keeps what was compiled for the next evaluation of the same sources. If something goes wrong
  /// here, that evaluation only compiles again.
  void keep_compiled(const Bounds& bounds);

  /// Null where the request has none.
  [[nodiscard]] Contender* reference() const { return reference_.get(); }
  [[nodiscard]] Contender& candidate() const { return *candidate_; }
  /// The same objects, where they are Python.
  [[nodiscard]] PythonContender* python_reference() const { return python_reference_; }
  [[nodiscard]] PythonContender* python_candidate() const { return python_candidate_; }
  /// The reference's weights that are not as its author made them; nothing without vary_weights.
  [[nodiscard]] const VariedWeights& varied() const { return varied_; }
  /// Both are models, and the candidate has the reference's weights.
  [[nodiscard]] bool both_take_state() const;
  /// Parameters that only the reference has.
  [[nodiscard]] const std::vector<std::string>& unmatched() const { return unmatched_; }

  /// Runs one of the two. The memory of the device that it takes meanwhile is charged to it.
  [[nodiscard]] Attempt<void> run(Contender& contender, const Bounds& bounds);
  [[nodiscard]] std::unexpected<Setback> blame(const PythonContender& contender, Setback setback);

 private:
  [[nodiscard]] Whose whose(const Contender& contender) const;
  [[nodiscard]] Attempt<void> load(const Kernel& kernel, const BuiltKernel& built,
                                   const RunMode& mode, bool is_reference, Outcome& outcome,
                                   const Bounds& bounds);
  [[nodiscard]] Attempt<void> construct_models(const Bounds& bounds);
  [[nodiscard]] Attempt<void> copy_state(const Bounds& bounds);
  [[nodiscard]] PythonContender* with_init_inputs() const;
  [[nodiscard]] CompiledStore* compiled_store() const;
  [[nodiscard]] std::uint64_t weight_seed() const;

  const EvaluationInput& input_;
  const Request& request_;
  RunnerSource& runners_;  // of the reference
  RunnerSource& candidates_;
  Blame& blame_;
  std::unique_ptr<PythonRunner> reference_runner_;  // until a contender takes them
  std::unique_ptr<PythonRunner> candidate_runner_;
  std::unique_ptr<Contender> reference_;
  std::unique_ptr<Contender> candidate_;
  PythonContender* python_reference_ = nullptr;
  PythonContender* python_candidate_ = nullptr;
  std::vector<std::string> unmatched_;
  VariedWeights varied_;
};

}  // namespace assay::eval
