#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/ask_parts.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/communication.hpp"
#include "trace/analysis/gaps.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/launches.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kNoWork =
    "The profile holds nothing that a GPU executed: CUDA was not traced, or nothing ran.";

GapCause main_cause(const DeviceGaps& gaps) {
  const auto worst = std::ranges::max_element(gaps.by_cause, {}, &CauseTotal::total);
  return static_cast<GapCause>(worst - gaps.by_cause.begin());
}

constexpr std::array kHostCauses = {GapCause::host_elsewhere, GapCause::host_in_mpi,
                                    GapCause::host_waiting,   GapCause::allocating,
                                    GapCause::other_api_call, GapCause::launching};

std::int64_t total_by(const DeviceGaps& gaps, GapCause cause) {
  return gaps.by_cause[static_cast<std::size_t>(cause)].total;
}

std::int64_t host_bound(const DeviceGaps& gaps) {
  std::int64_t total = 0;
  for (const GapCause cause : kHostCauses) total += total_by(gaps, cause);
  return total;
}

/// What the host did for the most of the time that the GPU waited for it.
GapCause main_host_cause(const DeviceGaps& gaps) {
  return *std::ranges::max_element(kHostCauses, {},
                                   [&](GapCause cause) { return total_by(gaps, cause); });
}

/// Whether launches hold a GPU back, as a sentence. `of_span`: how much of its time it waited for
/// its host, in percent.
std::string held_back(const DeviceGaps& gaps, double of_span) {
  if (of_span < 5) {
    return fmt::format("Launches keep up with GPU {}: it waited for its host for {}% of its time.",
                       gaps.device, of_span);
  }
  const std::int64_t waited = host_bound(gaps);
  if (gaps.long_outside.total * 2 > waited) {
    return fmt::format(
        "GPU {} waited for its host for {}% of its time, but not for launches: {}% of that is in "
        "{} {} of a millisecond or more, with the launching thread outside CUDA{}.",
        gaps.device, of_span, time_share_pct(gaps.long_outside.total, waited),
        gaps.long_outside.count, gaps.long_outside.count == 1 ? "gap" : "gaps", outside_in(gaps));
  }
  if (main_host_cause(gaps) == GapCause::host_in_mpi) {
    return fmt::format(
        "GPU {} waited for its host for {}% of its time, but not for launches: the most of it "
        "because {}.",
        gaps.device, of_span, explain(GapCause::host_in_mpi));
  }
  return fmt::format(
      "Launches hold back{} GPU {}: it waited for its host for {}% of its time, the most of it "
      "because {}.",
      of_span < 20 ? ", a little," : "", gaps.device, of_span, explain(main_host_cause(gaps)));
}

/// "21 kernels", "1 kernel", "2.5 kernels": of so many, what one run has.
std::string per_run(std::uint64_t total, std::uint64_t runs, std::string_view what) {
  if (total % runs != 0) {
    return fmt::format("{:.1f} {}s", static_cast<double>(total) / static_cast<double>(runs), what);
  }
  return fmt::format("{} {}{}", total / runs, what, total == runs ? "" : "s");
}

/// How many kernels an iteration launches, as a sentence; empty where none are known.
std::string kernels_launched(const Iterations& found) {
  std::uint64_t kernels = 0;
  std::uint64_t graphs = 0;
  for (const Iteration& one : found.list) {
    if (one.warm_up) continue;
    kernels += one.kernels;
    graphs += one.graphs;
  }
  const std::uint64_t count = found.counted();
  if (kernels + graphs == 0) return {};
  const bool alike = graphs == 0 && kernels % count == 0 && found.same_kernels();
  return fmt::format(" It launches {}{}{}{}.", per_run(kernels, count, "kernel"),
                     graphs == 0 ? "" : " and ",
                     graphs == 0 ? "" : per_run(graphs, count, "CUDA graph"),
                     count == 1 ? ""
                     : alike    ? " each time"
                                : " on average");
}

/// How long the GPUs took for an iteration, as a sentence: the host was through with it long
/// before.
std::string on_gpu(const Summary& gpu) {
  return fmt::format(
      " The host's time is the time to launch: the GPU work launched in it spans {} at the median "
      "({} to {}).",
      shown(gpu.median), shown(gpu.least), shown(gpu.greatest));
}

/// The spans of their GPU work, where they say how long an iteration is and the host's time does
/// not; otherwise nothing.
std::optional<Summary> gpu_spans(const Iterations& found) {
  std::vector<std::int64_t> spans;
  for (const Iteration& one : found.list) {
    if (!one.warm_up && one.gpu_span > 0) spans.push_back(one.gpu_span);
  }
  const Summary gpu = summarise(spans);
  if (gpu.count == 0 || gpu.median < 1.2 * found.duration.median) return std::nullopt;
  return gpu;
}

}  // namespace

Report ask_idle(Analysis& analysis, const AskOptions&) {
  Answer answer;
  const auto devices = device_busy(analysis.trace());
  if (devices.empty()) return std::move(answer).abstained(std::string(kNoWork));
  if (const std::uint64_t launched = launches_not_recorded(analysis.trace())) {
    return std::move(answer).abstained(fmt::format(
        "The profile holds {} kernel {} and none of the kernels, copies alone: when the GPU was "
        "idle cannot be told. Record CUDA kernels too.",
        launched, launched == 1 ? "launch" : "launches"));
  }
  const GapReport gaps = find_gaps(analysis.trace());
  std::string message;
  std::vector<Fact> evidence;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceBusy& device = devices[i];
    const DeviceGaps& found = gaps.devices[i];
    message +=
        fmt::format("{}GPU {} was busy for {}% of the {} between its first and its last work",
                    message.empty() ? "" : " ", device.device,
                    time_share_pct(device.busy, device.span), shown(device.span));
    if (found.all.count == 0) {
      message += ", without a gap.";
    } else {
      const GapCause cause = main_cause(found);
      const CauseTotal& total = found.by_cause[static_cast<std::size_t>(cause)];
      message += fmt::format("; of the {} in {} {}, {}% is {}{}.", shown(found.all.total),
                             found.all.count, found.all.count == 1 ? "gap" : "gaps",
                             time_share_pct(total.total, found.all.total), because(cause),
                             cause == GapCause::host_elsewhere ? outside_in(found) : "");
    }
    evidence.push_back({fmt::format("gpu_{}_idle_ns", device.device),
                        fmt::format("GPU {} idle", device.device), device.idle(),
                        ColumnType::duration});
  }
  answer.report.tables = {busy_table(devices), gap_cause_table(gaps),
                          gap_table(analysis.trace(), gaps)};
  return std::move(answer).answered(std::move(message), std::move(evidence));
}

Report ask_launch_bound(Analysis& analysis, const AskOptions&) {
  Answer answer;
  const Trace& trace = analysis.trace();
  const auto depths = queue_depths(trace);
  std::uint64_t launches = 0;
  for (const QueueDepth& depth : depths) launches += depth.launches;
  if (launches == 0) {
    return std::move(answer).abstained(
        "No call that launched a kernel or a graph is in the profile: without them it cannot tell "
        "when work was ready.");
  }
  const GapReport gaps = find_gaps(trace);
  const auto devices = device_busy(trace);
  std::string message;
  std::vector<Fact> evidence;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const std::int64_t waited = host_bound(gaps.devices[i]);
    const double of_span = time_share_pct(waited, devices[i].span);
    message += message.empty() ? "" : " ";
    message += held_back(gaps.devices[i], of_span);
    message += fmt::format(" It had nothing queued for {}% (on average {:.1f} {} were).",
                           time_share_pct(depths[i].empty, depths[i].span), depths[i].average,
                           trace.graphs.empty() ? "kernels" : "kernels and graphs");
    evidence.push_back({fmt::format("gpu_{}_waited_for_host_ns", depths[i].device),
                        fmt::format("GPU {} waited for its host", depths[i].device), waited,
                        ColumnType::duration});
  }
  answer.report.tables = {queue_table(depths), gap_cause_table(gaps),
                          launch_table(launch_sums(trace))};
  return std::move(answer).answered(std::move(message), std::move(evidence));
}

Report ask_communication(Analysis& analysis, const AskOptions&) {
  Answer answer;
  const Communication found = communication(analysis.trace(), analysis.classes());
  const std::string unseen =
      analysis.trace().graphs.empty()
          ? ""
          : fmt::format(" What CUDA graphs launched is not known: they were traced whole. {}",
                        kRecordNodes);
  if (found.collectives.empty()) {
    std::string reason =
        "No kernel of the profile is of the class communication. Where another library does it, "
        "name its kernels in a file of rules.";
    if (calls_mpi(analysis.trace())) {
      reason += " MPI communicates from the host: ask idle how long GPUs waited for it.";
    }
    return std::move(answer).abstained(reason + unseen);
  }
  std::string message;
  std::vector<Fact> evidence;
  for (const DeviceCommunication& device : found.devices) {
    if (device.kernels == 0) continue;
    message += fmt::format(
        "{}GPU {} communicates for {}; {}% of it is hidden behind computation and "
        "{} is not.",
        message.empty() ? "" : " ", device.device, shown(device.busy),
        time_share_pct(device.overlap, device.busy), shown(device.exposed()));
    evidence.push_back({fmt::format("gpu_{}_exposed_ns", device.device),
                        fmt::format("GPU {} exposed", device.device), device.exposed(),
                        ColumnType::duration});
  }
  message += unseen;
  answer.report.tables = {communication_table(found), collective_table(found)};
  return std::move(answer).answered(std::move(message), std::move(evidence));
}

Report ask_copies(Analysis& analysis, const AskOptions&) {
  Answer answer;
  const Trace& trace = analysis.trace();
  if (trace.copies.empty() && trace.fills.empty()) {
    return std::move(answer).abstained("The profile holds no memory copies and no memory sets.");
  }
  const auto devices = device_busy(trace);
  std::string message;
  std::vector<Fact> evidence;
  const bool kernels_known = launches_not_recorded(trace) == 0;
  for (const DeviceBusy& device : devices) {
    if (device.memory_busy == 0) continue;
    message += fmt::format(
        "{}GPU {} copied or set memory for {} ({}% of its time), {}.", message.empty() ? "" : " ",
        device.device, shown(device.memory_busy), time_share_pct(device.memory_busy, device.span),
        kernels_known
            ? fmt::format("{}% of that beside kernels",
                          time_share_pct(device.kernel_memory_overlap, device.memory_busy))
            : "and whether beside kernels is not known: the profile holds none of those launched");
    evidence.push_back({fmt::format("gpu_{}_copying_ns", device.device),
                        fmt::format("GPU {} copying", device.device), device.memory_busy,
                        ColumnType::duration});
  }
  answer.report.tables = {copy_table(trace), fill_table(trace), busy_table(devices)};
  return std::move(answer).answered(std::move(message), std::move(evidence));
}

Report ask_iterations(Analysis& analysis, const AskOptions& options) {
  Answer answer;
  auto found = find_iterations(analysis.trace(), analysis.attribution(),
                               options.iteration.empty() ? options.range : options.iteration);
  if (!found) return std::move(answer).abstained(found.error().message());
  const Summary& duration = found->duration;
  const double spread = duration.average > 0 ? 100 * duration.deviation / duration.average : 0;
  const std::optional<Summary> gpu = gpu_spans(*found);
  std::uint64_t slow = 0;
  for (const Iteration& one : found->list) {
    if (one.warm_up) continue;
    const std::int64_t took = gpu ? one.gpu_span : analysis.trace().ranges.duration(one.range);
    if (static_cast<double>(took) > 1.5 * (gpu ? gpu->median : duration.median)) ++slow;
  }
  const bool once = duration.count == 1;
  std::string message =
      once ? fmt::format("'{}' ran once and took {}. It is {}.", found->name,
                         shown(duration.median), found->chosen)
           : fmt::format(
                 "'{}' ran {} times and took {} at the median ({} to {}); the deviation is {:.1f}% "
                 "of the average. It is {}.",
                 found->name, duration.count, shown(duration.median), shown(duration.least),
                 shown(duration.greatest), spread, found->chosen);
  if (gpu) message += on_gpu(*gpu);
  const std::string launched = kernels_launched(*found);
  message += launched;
  if (!launched.empty()) message += without_calls(analysis.trace());
  if (!found->elsewhere.empty()) message += " " + found->elsewhere;
  if (!found->left_out.empty()) message += " " + found->left_out;
  if (!once) {
    message += fmt::format(" {} took{} more than one and a half times the median.",
                           slow == 0 ? "None" : std::to_string(slow), gpu ? " the GPU" : "");
  }
  answer.report.tables.push_back(iteration_table(analysis.trace(), *found));
  return std::move(answer).answered(
      std::move(message),
      {{"median_ns", "Median", one_decimal(duration.median), ColumnType::duration},
       {"spread_pct", "Deviation", one_decimal(spread), ColumnType::percent},
       {"count", "Iterations", duration.count, ColumnType::integer},
       {"ranges", "Ranges matched", found->name, ColumnType::text}});
}

}  // namespace assay::trace
