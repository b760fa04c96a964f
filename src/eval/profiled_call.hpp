#pragma once

#include <string>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/runner.hpp"
#include "model/runner_protocol.hpp"

namespace assay::eval {

/// Which of the two kernels of an evaluation.
enum class Side : std::uint8_t { original, custom };

/// The one call of a kernel that a profiler shall see.
struct ProfiledCall {
  const EvaluationInput& input;  // of the evaluation before it
  Side side = Side::custom;
  std::string range{};  // of NVTX, around the call; empty: a round of checking is all there is
};

/// Makes the call. A fresh runner from `profiled` gets the kernel and one round of inputs. It
/// answers over them to warm up, and is then called once inside the range. Whatever else the kernel
/// needs comes from `runners`, for example the reference's inputs and weights. Nothing here is a
/// verdict: that was found before, without a profiler.
[[nodiscard]] Attempt<void> make_profiled_call(const ProfiledCall& call, RunnerSource& runners,
                                               RunnerSource& profiled, const Bounds& bounds);

/// The same for a runner that reads the counters itself. The range is not looked at.
[[nodiscard]] Attempt<Counted> make_counted_call(const ProfiledCall& call,
                                                 const CountCommand& command, RunnerSource& runners,
                                                 RunnerSource& counted, const Bounds& bounds);

}  // namespace assay::eval
