#include "queue/explain.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/first_of.hpp"
#include "compile/kernel_signature.hpp"
#include "model/device_info.hpp"
#include "model/dtype.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"

namespace assay::queue {
namespace {

/// "63", or "(3, 1, 0)" where there is more than one dimension.
std::string index_text(const Dim3& index) {
  if (index.y == 0 && index.z == 0) return std::to_string(index.x);
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

std::string place_text(const Place& place) {
  return fmt::format("thread {} of block {}{}", index_text(place.thread), index_text(place.block),
                     place.line ? fmt::format(", line {}", *place.line) : "");
}

std::string places_text(const Finding& finding) {
  const std::string first = place_text(finding.place);
  return finding.other ? fmt::format("{} and {}", first, place_text(*finding.other)) : first;
}

void add_place(Verdict& verdict, const Finding& finding) {
  const auto add = [&](std::string& reason) { reason += "; " + places_text(finding); };
  if (auto* crashed = std::get_if<Crashed>(&verdict)) add(crashed->reason);
  if (auto* unsure = std::get_if<NonDeterministic>(&verdict)) add(unsure->reason);
}

bool can_be_sanitized(KernelType type, DeviceKind device) {
  return device == DeviceKind::cuda || type == KernelType::cuda || type == KernelType::torch_cuda;
}

std::string with_sanitizer(const char* names, const char* what) {
  return fmt::format("run it again with --sanitize {} (in a request: \"sanitize\"): that names {}",
                     names, what);
}

/// Empty where the reason says all there is.
std::string next_step(const Outcome& outcome, const Request& request, DeviceKind device) {
  if (const auto* late = std::get_if<TimedOut>(&outcome.verdict);
      late && late->phase == "checking") {
    return "look for an endless loop, and for a barrier that not all threads reach; or give it "
           "more "
           "time with --timeout (in a request: \"timeout\")";
  }
  if (const auto* failed = std::get_if<ReferenceFailed>(&outcome.verdict);
      failed && failed->verdict == "crashed" && request.reference &&
      can_be_sanitized(request.reference->type, device)) {
    return "run the reference alone with --sanitize memory (`assay evaluate`; in a request: "
           "\"sanitize\"): that names the array, the index, the thread and the line";
  }
  if (!can_be_sanitized(request.candidate.type, device)) return {};
  if (std::holds_alternative<Crashed>(outcome.verdict) && !request.sanitize.memory) {
    if (outcome.findings.empty()) {
      return with_sanitizer("memory", "the array, the index, the thread and the line");
    }
    if (outcome.findings.front().kind == "wild_access") {
      return with_sanitizer("memory", "the first access outside of an array");
    }
  }
  if (std::holds_alternative<NonDeterministic>(outcome.verdict) && !request.sanitize.any()) {
    return with_sanitizer("race,init", "both threads and both lines");
  }
  return {};
}

/// Of several kernels without a name the compatible routes take the first.
void warn_of_choice(Outcome& outcome, const Kernel& kernel, std::string_view side) {
  const KernelMetadata& metadata = kernel.metadata;
  const bool is_chosen = kernel.type == KernelType::cuda && metadata.takes_first &&
                         !metadata.kernel_name && metadata.name_expressions.empty();
  if (!is_chosen) return;
  const std::vector<std::string> names = compile::kernel_names(kernel.source);
  if (names.size() < 2) return;
  outcome.warnings.push_back(
      {.code = "kernel_chosen",
       .message = fmt::format("The {}'s source has several kernels: '{}' was launched, not {}. "
                              "metadata.kernel_name chooses another",
                              side, names.front(), first_of(std::span(names).subspan(1))),
       .passes = {}});
}

/// Whether a kernel that is written for one may rightly be given the other. Signs are often left
/// out of account, and bytes stand for much.
bool are_alike(DType a, DType b) {
  return a == b || (!is_floating(a) && !is_floating(b) && size_of(a) == size_of(b)) ||
         (size_of(a) == 1 && size_of(b) == 1);
}

/// What a kernel reads as another type than the contract gives is seldom meant.
void warn_of_dtypes(Outcome& outcome, const Kernel& kernel, std::string_view side) {
  if (kernel.type != KernelType::cuda || !kernel.io) return;
  auto name = kernel.metadata.kernel_name;
  const std::vector<std::string> names = compile::kernel_names(kernel.source);
  if (!name && !names.empty()) name = names.front();
  const auto signature = compile::kernel_signature(kernel.source, name);
  if (!signature) return;
  const std::size_t count = std::min(signature->parameters.size(), kernel.io->args.size());
  for (std::size_t i = 0; i < count; ++i) {
    const compile::KernelParameter& parameter = signature->parameters[i];
    const auto* tensor = std::get_if<TensorArg>(&kernel.io->args[i].value);
    if (tensor == nullptr || !parameter.is_pointer || !parameter.dtype ||
        are_alike(*parameter.dtype, tensor->dtype)) {
      continue;
    }
    outcome.warnings.push_back(
        {.code = "dtype_differs",
         .message =
             fmt::format("The {}'s contract gives '{}' as {}, and its parameter is '{}'", side,
                         kernel.io->args[i].name, to_string(tensor->dtype), parameter.type),
         .passes = {}});
  }
}

}  // namespace

void explain(Outcome& outcome, const Request& request, DeviceKind device) {
  if (request.reference) {
    warn_of_choice(outcome, *request.reference, "reference");
    warn_of_dtypes(outcome, *request.reference, "reference");
  }
  warn_of_choice(outcome, request.candidate, "candidate");
  warn_of_dtypes(outcome, request.candidate, "candidate");
  outcome.next_step = next_step(outcome, request, device);
  if (!outcome.findings.empty()) add_place(outcome.verdict, outcome.findings.front());
  if (outcome.speed && device == DeviceKind::cpu && !request.judge_speed) {
    outcome.speed->verdict = SpeedVerdict::not_judged;
  }
}

}  // namespace assay::queue
