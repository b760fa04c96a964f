#include "worker/sanitizer_lane.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "eval/evaluation.hpp"
#include "eval/profiled_call.hpp"
#include "eval/runner.hpp"
#include "metrics/sanitizer_arrays.hpp"
#include "metrics/sanitizer_command.hpp"
#include "metrics/sanitizer_log.hpp"
#include "model/device_info.hpp"
#include "model/finding.hpp"
#include "model/outcome.hpp"
#include "model/sanitizer_status.hpp"
#include "model/verdict.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "worker/jailed_tool.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {
namespace {

constexpr const char* kName = "compute-sanitizer";
constexpr std::chrono::seconds kLongestTool{120};
constexpr std::chrono::seconds kShortest{3};  // the tool takes as long to start
constexpr std::size_t kLargestLog = std::size_t{4} << 20U;

/// What else became of it, compute-sanitizer could not look at.
bool has_run(const Verdict& verdict) {
  return std::holds_alternative<Accepted>(verdict) || std::holds_alternative<Crashed>(verdict) ||
         std::holds_alternative<WrongAnswer>(verdict) ||
         std::holds_alternative<NonDeterministic>(verdict) ||
         std::holds_alternative<TimedOut>(verdict) || std::holds_alternative<WeakCheck>(verdict);
}

std::string last_words(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  constexpr std::size_t kLongest = 300;
  text = text.substr(text.rfind('\n') + 1);
  return std::string(text.substr(0, kLongest));
}

SanitizerStatus incomplete(std::string_view tool, const ToolEnd& end, std::string_view log) {
  if (end.timed_out) {
    return {.state = SanitizerState::timed_out,
            .by = kName,
            .reason = fmt::format("{} did not end in time", tool),
            .advice = "give the request a longer timeout, or smaller inputs"};
  }
  const std::string said = last_words(log.empty() ? std::string_view(end.printed) : log);
  return {.state = SanitizerState::failed,
          .by = kName,
          .reason = fmt::format("{} wrote no summary{}{}", tool, said.empty() ? "" : ": ",
                                said.empty() ? end.setback : said),
          .advice = "run the same request again; if that fails too, try compute-sanitizer by hand"};
}

/// As the runner of the `cpu` device judges what its own sanitizers find.
Verdict verdict_for(const Finding& first) {
  std::string reason = fmt::format("{}: {}", first.kind, first.message);
  if (first.kind == "race" || first.kind == "uninitialised_read") {
    return NonDeterministic{.reason = std::move(reason)};
  }
  return Crashed{.reason = std::move(reason)};
}

void refuse(std::vector<Finding> findings, Outcome& outcome) {
  outcome.verdict = verdict_for(findings.front());
  outcome.findings = std::move(findings);
  outcome.candidate_timing.reset();
  outcome.reference_timing.reset();
  outcome.speed.reset();
}

}  // namespace

bool SanitizerLane::serves() const {
  return host_.runners.device.kind == DeviceKind::cuda || options_.named;
}

std::optional<SanitizerStatus> SanitizerLane::hindrance(const Outcome& outcome) const {
  if (!options_.program) {
    return SanitizerStatus{
        .state = SanitizerState::unavailable,
        .reason = fmt::format("{} is not here: {}", kName, options_.looked_for),
        .advice =
            "install it (it comes with the CUDA toolkit), name it with --compute-sanitizer, "
            "or start the server with --devices cuda,cpu: the cpu device checks too"};
  }
  if (!host_.support.has(process::JailPart::network_namespace)) {
    return SanitizerStatus{
        .state = SanitizerState::unavailable,
        .reason = "a checked kernel could reach the network: this system has no network namespaces",
        .advice = "allow network namespaces; assay doctor says what is missing"};
  }
  if (!has_run(outcome.verdict)) {
    return SanitizerStatus{.state = SanitizerState::skipped,
                           .by = kName,
                           .reason = "the kernel was not run",
                           .advice = "first mend what the verdict names"};
  }
  return std::nullopt;
}

void SanitizerLane::check(const eval::EvaluationInput& input, eval::RunnerSource& runners,
                          Outcome& outcome, const eval::Bounds& bounds) {
  if (auto status = hindrance(outcome)) {
    outcome.sanitizers = *std::move(status);
    return;
  }
  const SteadyTime start = host_.clock.now();
  SanitizerStatus status{.state = SanitizerState::checked, .by = kName};
  const auto tools = metrics::sanitizer_tools(input.request.sanitize);
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const auto share = bounds.deadline.remaining() / static_cast<int>(tools.size() - i);
    if (share < kShortest) {
      status = {.state = SanitizerState::skipped,
                .by = kName,
                .reason = fmt::format("the request's time was spent before {}", tools[i]),
                .advice = "give the request a longer timeout"};
      break;
    }
    const eval::Bounds own{
        Deadline(host_.clock, std::min<std::chrono::nanoseconds>(share, kLongestTool)),
        bounds.stop};
    Checked checked = check_with(tools[i], input, runners, own);
    host_.log.info("sanitizers", "{}: {}, {} findings {}", tools[i],
                   to_string(checked.status.state), checked.findings.size(), checked.status.reason);
    if (!checked.findings.empty()) {
      // The later tools say little of a kernel that misuses its memory.
      refuse(std::move(checked.findings), outcome);
      break;
    }
    if (checked.status.state != SanitizerState::checked) status = std::move(checked.status);
  }
  status.seconds = std::chrono::duration<double>(host_.clock.now() - start).count();
  outcome.sanitizers = std::move(status);
}

SanitizerLane::Checked SanitizerLane::check_with(std::string_view tool,
                                                 const eval::EvaluationInput& input,
                                                 eval::RunnerSource& runners,
                                                 const eval::Bounds& bounds) const {
  auto folder = folder_for_jail(options_.folder);
  if (!folder) {
    return {.status = {
                .state = SanitizerState::failed, .by = kName, .reason = folder.error().message()}};
  }
  const metrics::SanitizerRun run{
      .program = *options_.program, .tool = tool, .log_file = folder->path() / "log"};
  const Profiler profiler{.argv = metrics::sanitizer_command(run),
                          .binds = tool_binds(run.program, folder->path()),
                          // An array of torch's own pool has neighbours that no tool knows.
                          .environment = {"PYTORCH_NO_CUDA_MEMORY_CACHING=1"},
                          .start_by = bounds.deadline};
  const ToolEnd end =
      call_under(profiler, host_, {.input = input, .side = eval::Side::custom}, runners, bounds);
  const std::string text = read_from_jail(run.log_file, kLargestLog).value_or("");
  metrics::SanitizerLog log = metrics::read_sanitizer_log(text);
  metrics::name_arrays(end.printed, log.findings);
  SanitizerStatus status{.state = SanitizerState::checked, .by = kName};
  if (!log.complete) status = incomplete(tool, end, text);
  return {.status = std::move(status), .findings = std::move(log.findings)};
}

}  // namespace assay::worker
