#include "eval/workloads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "model/workload.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

constexpr std::size_t kOrder = 3;  // 1 is that of weights, 2 that of pairs; no round has number 0

/// Says at which size it came to a verdict.
void name_workload(Verdict& verdict, const std::string& name) {
  std::visit(
      [&](auto& one) {
        if constexpr (requires { one.reason; }) {
          one.reason += fmt::format(". This was in the workload '{}'", name);
        } else if constexpr (requires { one.log; }) {
          one.log += fmt::format("\nThis was in the workload '{}'", name);
        } else if constexpr (requires { one.phase; }) {
          one.phase += fmt::format(" the workload '{}'", name);
        }
      },
      verdict);
}

}  // namespace

Request over_workload(const Request& request, const Workload& workload) {
  Request other = request;
  other.workloads.clear();
  other.device_metrics.reset();
  if (other.reference) {
    other.reference->io = workload.reference_io;
    other.reference->constants = workload.constants;
  }
  other.candidate.io = workload.candidate_io;
  other.candidate.constants = workload.constants;
  return other;
}

std::vector<std::size_t> secret_order(std::size_t count, std::uint64_t secret) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return tensor::seed_for_unseeded(secret, static_cast<int>(i), kOrder);
  });
  return order;
}

void add_workload(const Workload& workload, const Outcome& checked, Outcome& outcome) {
  const CheckSummary found = checked.check.value_or(CheckSummary{});
  if (!outcome.check) outcome.check.emplace();
  outcome.check->workloads.push_back({.name = workload.name,
                                      .verdict = std::string(name_of(checked.verdict)),
                                      .rounds_passed = found.rounds_passed,
                                      .rounds_total = found.rounds_total});
  for (Warning warning : checked.warnings) {
    const bool known = std::ranges::any_of(outcome.warnings, [&](const Warning& other) {
      return other.code == warning.code && other.passes == warning.passes;
    });
    if (known) continue;
    warning.message += fmt::format(". This was in the workload '{}'", workload.name);
    outcome.warnings.push_back(std::move(warning));
  }
  if (std::holds_alternative<Accepted>(checked.verdict)) return;
  outcome.verdict = checked.verdict;
  name_workload(outcome.verdict, workload.name);
  outcome.findings = checked.findings;
  outcome.candidate_timing.reset();
  outcome.reference_timing.reset();
  outcome.speed.reset();
}

}  // namespace assay::eval
