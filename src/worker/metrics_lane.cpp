#include "worker/metrics_lane.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "eval/profiled_call.hpp"
#include "eval/runner.hpp"
#include "metrics/call_metrics.hpp"
#include "metrics/changes.hpp"
#include "metrics/chosen_kernels.hpp"
#include "metrics/counters.hpp"
#include "metrics/findings.hpp"
#include "metrics/ncu_command.hpp"
#include "metrics/ncu_end.hpp"
#include "metrics/over_runs.hpp"
#include "model/artifact.hpp"
#include "model/device_info.hpp"
#include "model/device_metrics.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/runner_protocol.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "process/jail_support.hpp"
#include "trace/ncu/reader.hpp"
#include "trace/ncu/report.hpp"
#include "worker/jailed_tool.hpp"
#include "worker/metrics_cache.hpp"
#include "worker/metrics_key.hpp"
#include "worker/runner_process.hpp"

namespace assay::worker {
namespace {

constexpr std::chrono::seconds kLongestSide{90};
constexpr std::chrono::seconds kLongestCount{20};  // by CUPTI, so that time is left for ncu
constexpr std::chrono::seconds kShortest{5};       // no profiler ends sooner
constexpr std::size_t kLargestReport = std::size_t{128} << 20U;
constexpr std::size_t kLargestLog = std::size_t{1} << 20U;

std::string_view name_of(eval::Side side) {
  return side == eval::Side::original ? "original" : "custom";
}

std::optional<double> median_of(const std::optional<TimingSummary>& timing) {
  return timing ? std::optional(timing->statistics.median) : std::nullopt;
}

/// Reads what a profiler wrote.
Result<CallMetrics> read_report(const KeptReport& report, MetricsStatus& status) {
  ASSAY_TRY(const trace::NcuReport read, trace::parse_ncu(report.bytes));
  status.profiler = metrics::profiler_version(read);
  return metrics::read_call(read, report.range);
}

}  // namespace

MetricsLane::MetricsLane(const MetricsOptions& options, const ToolHost& host)
    : options_(options), host_(host) {
  if (options_.kept.empty()) return;
  auto cache = MetricsCache::open(options_.kept, options_.kept_bytes, host_.clock);
  if (cache) {
    cache_ = *std::move(cache);
  } else {
    host_.log.error("metrics", "counters are not kept: {}", cache.error().message());
  }
}

std::optional<MetricsStatus> MetricsLane::hindrance(const MetricsTask& task) const {
  if (host_.runners.device.kind == DeviceKind::cpu && !options_.named) {
    return MetricsStatus{.state = MetricsState::unsupported,
                         .reason = "the cpu device has no counters",
                         .advice = "ask for a GPU with \"device\": \"cuda\""};
  }
  if (!options_.ncu && task.collector == MetricsCollector::ncu) {
    return metrics::no_profiler(options_.looked_for);
  }
  if (!host_.support.has(process::JailPart::network_namespace)) {
    return MetricsStatus{
        .state = MetricsState::unsupported,
        .reason =
            "a profiled kernel could reach the network: this system has no network namespaces",
        .advice = "allow network namespaces; assay doctor says what is missing"};
  }
  return std::nullopt;
}

void MetricsLane::collect(const MetricsTask& task, eval::RunnerSource& runners, Outcome& outcome,
                          const eval::Bounds& bounds) {
  DeviceMetrics& found = outcome.device_metrics.emplace();
  if (auto status = hindrance(task)) {
    found.status = *std::move(status);
    return;
  }
  if (!std::holds_alternative<Accepted>(outcome.verdict)) {
    found.status = {.state = MetricsState::skipped,
                    .reason = "counters are collected only for accepted kernels",
                    .advice = "first mend what the verdict names"};
    return;
  }
  const SteadyTime start = host_.clock.now();
  MetricsStatus status{.state = MetricsState::collected};
  const std::string told = metrics::describe(task.kernels);
  std::vector<eval::Side> sides{eval::Side::custom};
  if (task.input.reference) sides.insert(sides.begin(), eval::Side::original);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto share = bounds.deadline.remaining() / static_cast<int>(sides.size() - i);
    if (share < kShortest) {
      status = {.state = MetricsState::skipped,
                .reason = "the request's time was spent before its counters were read",
                .advice = "give the request a longer timeout"};
      break;
    }
    const eval::Bounds own{
        Deadline(host_.clock, std::min<std::chrono::nanoseconds>(share, task.runs * kLongestSide)),
        bounds.stop};
    const bool is_original = sides[i] == eval::Side::original;
    const auto& timing = is_original ? outcome.reference_timing : outcome.candidate_timing;
    Collected collected = collect_side(task, sides[i], timing, runners, own);
    if (!collected.report.bytes.empty()) {
      add_report(task, sides[i], std::move(collected.report.bytes), outcome);
    }
    std::vector<CollectorUsed> used = std::move(status.collectors);
    used.push_back(std::move(collected.used));
    if (!collected.call) {
      status = std::move(collected.status);
      status.collectors = std::move(used);
      status.reason = fmt::format("{}: {}", name_of(sides[i]), status.reason);
      if (status.state == MetricsState::forbidden) break;
      continue;
    }
    status.collectors = std::move(used);
    if (status.profiler.empty()) status.profiler = collected.status.profiler;
    if (!collected.status.reason.empty()) {
      status.reason = fmt::format("{}: {}", name_of(sides[i]), collected.status.reason);
    }
    if (collected.cached) status.cached.emplace_back(name_of(sides[i]));
    // What was left out on purpose is no gap.
    auto gap = metrics::compare_with_time(*collected.call, median_of(timing));
    if (gap && !task.kernels.any()) collected.call->findings.push_back(*std::move(gap));
    (is_original ? found.original : found.custom) = std::move(collected.call);
  }
  if (found.original && found.custom) {
    found.changes = metrics::compare_calls(*found.original, *found.custom);
  }
  status.kernels = told;
  if (task.kernels.share && !(outcome.candidate_timing && outcome.candidate_timing->kernel_time)) {
    status.kernels += "; how long each takes is not known here, so all count";
  }
  status.seconds = std::chrono::duration<double>(host_.clock.now() - start).count();
  found.status = std::move(status);
}

MetricsLane::Collected MetricsLane::collect_side(const MetricsTask& task, eval::Side side,
                                                 const std::optional<TimingSummary>& timing,
                                                 eval::RunnerSource& runners,
                                                 const eval::Bounds& bounds) {
  CollectorUsed used{.side = std::string(name_of(side))};
  if (task.collector == MetricsCollector::automatic && !task.fresh && !task.kernels.any()) {
    const auto key = key_of(task, side, {});
    if (auto before = key ? collected_before(*key) : std::nullopt) {
      used.reason = "Nsight Compute read them before";
      before->used = std::move(used);
      return *std::move(before);
    }
  }
  if (task.collector != MetricsCollector::ncu) {
    const auto share = std::min<std::chrono::nanoseconds>(bounds.deadline.remaining() / 2,
                                                          task.runs * kLongestCount);
    auto counted = count_side(task, side, runners, {Deadline(host_.clock, share), bounds.stop});
    if (counted) return *std::move(counted);
    used.reason = counted.error().message();
    host_.log.info("metrics", "job {}, {}: not counted by CUPTI: {}", task.job.value, name_of(side),
                   used.reason);
  }
  Collected collected = options_.ncu
                            ? profile_side(task, side, timing, runners, bounds)
                            : Collected{.status = metrics::no_profiler(options_.looked_for)};
  collected.used = std::move(used);
  return collected;
}

Result<MetricsLane::Collected> MetricsLane::count_side(const MetricsTask& task, eval::Side side,
                                                       eval::RunnerSource& runners,
                                                       const eval::Bounds& bounds) const {
  const Request& request = task.input.request;
  const Kernel& kernel = side == eval::Side::original ? *request.reference : request.candidate;
  if (auto why = metrics::why_not_counted(task.wanted, task.kernels, kernel.type)) {
    return fail(ErrorCode::invalid_argument, *std::move(why));
  }
  const BuiltKernel& built =
      side == eval::Side::original ? *task.input.reference : task.input.candidate;
  const CountCommand command{
      .cupti = options_.cupti.string(),
      .metrics = task.wanted.metrics.empty() ? metrics::usual_counters() : task.wanted.metrics};
  const Profiler library{.argv = {},
                         .binds = library_binds(options_.cupti),
                         .kept = options_.capability,
                         .start_by = bounds.deadline};
  const std::string range = fmt::format("request_{}_{}", task.job.value, name_of(side));
  std::vector<CallMetrics> calls;
  std::size_t passes = 0;
  for (int i = 0; i < task.runs; ++i) {
    ASSAY_TRY(
        const Counted counted,
        count_with(library, command, host_, {.input = task.input, .side = side}, runners, bounds));
    const auto report = metrics::report_of(
        counted,
        {.kernel = built.entry, .grid = kernel.io->launch.grid, .block = kernel.io->launch.block},
        range);
    ASSAY_TRY(CallMetrics call, metrics::read_call(report, range));
    calls.push_back(std::move(call));
    passes = counted.passes;
    host_.log.info("metrics", "{}: CUPTI counted {} metrics of {} in {} passes", range,
                   counted.values.size(), counted.chip, passes);
  }
  Collected collected{.status = {.state = MetricsState::collected},
                      .call = metrics::over_runs(calls)};
  collected.used = {
      .side = std::string(name_of(side)), .by = MetricsCollector::cupti, .passes = passes};
  return collected;
}

std::optional<Digest> MetricsLane::key_of(const MetricsTask& task, eval::Side side,
                                          const std::string& kernels) const {
  if (cache_ == nullptr || !options_.ncu) return std::nullopt;
  return metrics_key(task, side, kernels,
                     {.device = host_.runners.device,
                      .ncu = *options_.ncu,
                      .python = host_.python ? host_.python->interpreter.describe() : ""});
}

MetricsLane::Collected MetricsLane::profile_side(const MetricsTask& task, eval::Side side,
                                                 const std::optional<TimingSummary>& timing,
                                                 eval::RunnerSource& runners,
                                                 const eval::Bounds& bounds) {
  const metrics::ChosenKernels chosen = metrics::choose_kernels(task.kernels, timing);
  if (chosen.none) {
    return {.status = {.state = MetricsState::skipped,
                       .reason = *chosen.none,
                       .advice = "ask for another name or a smaller share"}};
  }
  const auto key = key_of(task, side, chosen.expression);
  if (key && !task.fresh) {
    if (auto before = collected_before(*key)) return *std::move(before);
  }
  std::vector<KeptReport> reports;
  std::vector<CallMetrics> calls;
  MetricsStatus status;
  for (int left = task.runs; left > 0; --left) {
    const auto share = bounds.deadline.remaining() / left;
    if (!calls.empty() && share < kShortest) {
      status.reason = "the time was spent";
      break;
    }
    Collected once = profile(task, side, chosen.expression, runners,
                             {Deadline(host_.clock, share), bounds.stop});
    status = once.status;
    if (!once.call && calls.empty()) return once;
    if (!once.call) break;
    reports.push_back(std::move(once.report));
    calls.push_back(*std::move(once.call));
  }
  const bool is_whole = calls.size() == static_cast<std::size_t>(task.runs);
  if (key && is_whole) cache_->keep(*key, reports);
  if (!is_whole) {
    status.reason =
        fmt::format("{} of {} runs were read: {}", calls.size(), task.runs, status.reason);
  }
  status.state = MetricsState::collected;
  return together(std::move(status), std::move(reports), calls);
}

std::optional<MetricsLane::Collected> MetricsLane::collected_before(const Digest& key) {
  auto reports = cache_->find(key);
  if (reports.empty()) return std::nullopt;
  MetricsStatus status{.state = MetricsState::collected};
  std::vector<CallMetrics> calls;
  for (const KeptReport& report : reports) {
    auto call = read_report(report, status);
    if (!call) return std::nullopt;
    calls.push_back(*std::move(call));
  }
  Collected collected = together(std::move(status), std::move(reports), calls);
  collected.cached = true;
  return collected;
}

MetricsLane::Collected MetricsLane::together(MetricsStatus status, std::vector<KeptReport> reports,
                                             std::span<const CallMetrics> calls) {
  return {.status = std::move(status),
          .call = metrics::over_runs(calls),
          .report = std::move(reports[metrics::middle_run(calls)])};
}

MetricsLane::Collected MetricsLane::profile(const MetricsTask& task, eval::Side side,
                                            const std::string& kernels, eval::RunnerSource& runners,
                                            const eval::Bounds& bounds) {
  const auto failed = [](const Error& error) {
    return Collected{.status = {.state = MetricsState::failed, .reason = error.message()}};
  };
  auto folder = folder_for_jail(options_.folder);
  if (!folder) return failed(folder.error());
  const metrics::NcuRun run{.ncu = *options_.ncu,
                            .wanted = task.wanted,
                            .kernels = kernels,
                            .first_of_each_grid = task.kernels.first_of_each_grid,
                            .range = fmt::format("request_{}_{}", task.job.value, name_of(side)),
                            .report = folder->path() / "report.ncu-rep",
                            .log_file = folder->path() / "ncu.log"};
  const Profiler profiler{.argv = metrics::ncu_command(run),
                          .binds = tool_binds(run.ncu, folder->path()),
                          .kept = options_.capability,
                          .start_by = bounds.deadline};
  ToolEnd ended = call_under(
      profiler, host_, {.input = task.input, .side = side, .range = run.range}, runners, bounds);
  metrics::NcuEnd end{.exit_code = ended.exit_code,
                      .timed_out = ended.timed_out,
                      .setback = std::move(ended.setback),
                      .chosen = task.kernels.any()};
  end.said = read_from_jail(run.log_file, kLargestLog).value_or("") + ended.printed;
  auto report = read_from_jail(run.report, kLargestReport);
  end.has_report = report.has_value();
  Collected collected{.status = metrics::status_of(end)};
  host_.log.info("metrics", "{}: {} {}", run.range, to_string(collected.status.state),
                 collected.status.reason);
  if (collected.status.state != MetricsState::collected) return collected;
  collected.report = {.range = run.range, .bytes = *std::move(report)};
  auto call = read_report(collected.report, collected.status);
  if (call) {
    collected.call = *std::move(call);
  } else {
    collected.status.state = MetricsState::failed;
    collected.status.reason = call.error().message();
  }
  return collected;
}

void MetricsLane::add_report(const MetricsTask& task, eval::Side side, std::string bytes,
                             Outcome& outcome) const {
  Artifact artifact{
      .name = side == eval::Side::original ? "reference.ncu-rep" : "candidate.ncu-rep",
      .bytes = bytes.size()};
  const auto file = options_.folder / fmt::format("{}.{}", task.job.value, artifact.name);
  if (auto written = write_file_atomically(file, bytes); written) {
    artifact.file = file;
  } else {
    artifact.absent = written.error().message();
  }
  outcome.artifacts.push_back(std::move(artifact));
}

}  // namespace assay::worker
