#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "eval/compiled_store.hpp"
#include "eval/runner.hpp"
#include "model/device_info.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/task.hpp"

namespace assay::eval {

struct EvaluationInput {
  const Request& request;
  std::optional<BuiltKernel> reference;  // present exactly when the request has one
  BuiltKernel candidate;
  std::uint64_t secret = 0;  // every input is derived from it
  DeviceKind device = DeviceKind::cpu;
  std::chrono::nanoseconds budget{};  // what is left of the request's timeout
  CompiledStore* compiled = nullptr;  // where Python kernels compile for themselves: on a GPU
  bool timed = true;                  // false: it is only checked
  VaryWeights vary_weights = VaryWeights::none;  // of both models, if both have weights
};

/// Checks and times a candidate on one device. It takes fresh runners, several rounds of secret
/// inputs, then timed runs interleaved with the reference's. After that the request's workloads are
/// checked, each by runners of its own, in an order that nobody can know. The budget counts from
/// `begun`. Fails only for reasons of ours or with `cancelled`. Of the provenance it fills in what
/// runners were given of `compiled`; the caller fills in the rest.
[[nodiscard]] Result<EvaluationEnd> evaluate(const EvaluationInput& input, RunnerSource& runners,
                                             const Clock& clock, const EvaluationListener& listener,
                                             const std::stop_token& stop);

}  // namespace assay::eval
