#include "eval/what_ran.hpp"

#include <expected>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "eval/runner.hpp"
#include "judge/own_kernels.hpp"
#include "model/device_info.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

/// A raw kernel is the candidate's own wherever it runs.
bool must_be_told(const Request& request) {
  return request.require.own_kernels && request.candidate.type != KernelType::cuda;
}

std::unexpected<Setback> cannot_tell(const std::string& why) {
  return std::unexpected(Setback(Fate{
      Unsupported{fmt::format("require: [\"own_kernels\"] cannot be answered: {}", why)}, {}}));
}

}  // namespace

Attempt<void> can_tell_what_ran(const Request& request, DeviceKind device) {
  if (device != DeviceKind::cpu || !must_be_told(request)) return {};
  return cannot_tell(
      "only a GPU lists the kernels that ran. Give a GPU as device, or leave the requirement out");
}

Attempt<void> weigh_what_ran(const Request& request, Outcome& outcome) {
  if (!outcome.candidate_timing || !outcome.candidate_timing->kernel_time) {
    if (!must_be_told(request)) return {};
    const std::string why =
        outcome.candidate_timing ? outcome.candidate_timing->kernel_time_missing : "";
    return cannot_tell(why.empty() ? "the kernels that ran are not known" : why);
  }
  const judge::OwnKernels own(request.candidate);
  const auto ran = judge::tell_origins(own, *outcome.candidate_timing->kernel_time);
  if (request.require.own_kernels) {
    if (auto lacking = judge::lacks_own_work(ran)) {
      return std::unexpected(
          Fate{WrongAnswer{.reason = *std::move(lacking), .rule = "own_kernels"}, {}});
    }
  }
  if (auto decoy = judge::decoy_complaint(own, ran)) {
    outcome.warnings.push_back({.code = "decoy", .message = *std::move(decoy), .passes = {}});
  }
  return {};
}

}  // namespace assay::eval
