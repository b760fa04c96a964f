#include "trace/analysis/profile_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/analysis/within.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/work.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::uint64_t count_of(std::span<const NamedSummary> sums) {
  std::uint64_t count = 0;
  for (const NamedSummary& sum : sums) count += sum.summary.count;
  return count;
}

constexpr std::string_view kNoKernels = "it holds no kernels";
constexpr std::string_view kNoWork = "it holds nothing that a GPU executed";

void add_kernel_metrics(ProfileSums& sums) {
  if (sums.kernels.empty()) {
    for (const char* name : {"kernel_time", "kernel_count"}) sums.absent[name] = kNoKernels;
    return;
  }
  sums.metrics["kernel_time"] = {static_cast<double>(total_of(sums.kernels)), ColumnType::duration};
  sums.metrics["kernel_count"] = {static_cast<double>(count_of(sums.kernels)), ColumnType::integer};
}

std::int64_t total_of_spans(const Spans& spans) {
  std::int64_t total = 0;
  for (std::size_t row = 0; row < spans.size(); ++row) total += spans.duration(row);
  return total;
}

/// The average duration of what `pattern` fits.
Result<Metric> average_of(std::span<const NamedSummary> sums, std::string_view pattern,
                          std::string_view what) {
  std::uint64_t count = 0;
  std::int64_t total = 0;
  for (const NamedSummary& sum : sums) {
    if (sum.name != pattern && !glob_match(pattern, sum.name)) continue;
    count += sum.summary.count;
    total += sum.summary.total;
  }
  if (count == 0) {
    return fail(ErrorCode::not_found, fmt::format("no {} fits '{}'", what, pattern));
  }
  return Metric{static_cast<double>(total) / static_cast<double>(count), ColumnType::duration};
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

void add_device_metrics(const Trace& trace, ProfileSums& sums) {
  const auto devices = device_busy(trace);
  if (devices.empty()) {
    for (const char* name : {"gpu_busy", "gpu_idle", "gpu_span", "copy_time", "copied_bytes"}) {
      sums.absent[name] = kNoWork;
    }
    return;
  }
  std::int64_t busy = 0;
  std::int64_t idle = 0;
  std::int64_t span = 0;
  for (const DeviceBusy& device : devices) {
    busy += device.busy;
    idle += device.idle();
    span += device.span;
  }
  const auto add = [&](const char* name, std::int64_t value) {
    sums.metrics[name] = {static_cast<double>(value), ColumnType::duration};
  };
  add("gpu_busy", busy);
  add("gpu_idle", idle);
  add("gpu_span", span);
  add("copy_time", total_of_spans(trace.copies));
  std::uint64_t bytes = 0;
  for (const std::uint64_t amount : trace.copies.bytes) bytes += amount;
  sums.metrics["copied_bytes"] = {static_cast<double>(bytes), ColumnType::bytes};
}

/// What the events of `trace` come to; of ranges and iterations nothing.
ProfileSums sums_of(const Trace& trace) {
  ProfileSums sums{.file = trace.capture.file,
                   .product = trace.capture.product,
                   .schema = trace.capture.schema,
                   .command = trace.capture.command,
                   .kernels = kernel_sums(trace, KernelNaming::demangled)};
  std::set<std::string> gpus;
  for (const Gpu& gpu : trace.capture.gpus) gpus.insert(gpu.name);
  sums.gpus.assign(gpus.begin(), gpus.end());
  const std::int64_t in_graphs = whole_graph_time(trace);
  sums.in_graphs_pct = time_share_pct(in_graphs, in_graphs + total_of(sums.kernels));
  add_kernel_metrics(sums);
  add_device_metrics(trace, sums);
  if (trace.calls.empty()) {
    sums.absent["api_time"] = "it holds no CUDA API calls";
  } else {
    sums.metrics["api_time"] = {static_cast<double>(total_of_spans(trace.calls)),
                                ColumnType::duration};
  }
  return sums;
}

std::string shape_text(const Shape& shape) {
  return fmt::format("{}x{}x{} of {}x{}x{}", shape.grid[0], shape.grid[1], shape.grid[2],
                     shape.block[0], shape.block[1], shape.block[2]);
}

void add_shapes(const Trace& trace, ProfileSums& sums) {
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::uint32_t function = trace.kernels.function[row];
    const std::uint32_t shape = trace.kernels.shape[row];
    if (!seen.insert((std::uint64_t{function} << 32U) | shape).second) continue;
    sums.shapes[std::string(trace.function_name(function))].insert(shape_text(trace.shapes[shape]));
  }
}

/// A byte per range: nonzero for what is warm-up of its name. The first of ranges that nest in each
/// other are longer for what they hold, not for being first.
std::vector<std::uint8_t> warm_up_of_names(const Trace& trace) {
  const std::vector<std::uint8_t> says_so = warm_up_ranges(trace);
  std::vector<std::vector<std::uint32_t>> rows(trace.strings.size());
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    rows[trace.ranges.name[row]].push_back(row);
  }
  std::vector<std::uint8_t> out(trace.ranges.size(), 0);
  for (const auto& own : rows) {
    const bool nests = std::ranges::adjacent_find(own, [&](std::uint32_t a, std::uint32_t b) {
                         return trace.ranges.start[b] < trace.ranges.end[a];
                       }) != own.end();
    const bool told =
        std::ranges::any_of(own, [&](std::uint32_t row) { return says_so[row] != 0; });
    if (nests && !told) continue;
    for (const std::uint32_t row : without_warm_up(trace, says_so, own).warm_up) out[row] = 1;
  }
  return out;
}

void add_ranges(Analysis& analysis, ProfileSums& sums) {
  const Trace& trace = analysis.trace();
  const std::vector<std::uint8_t> warm_up = warm_up_of_names(trace);
  for (const Group& group : group_durations(
           trace.ranges, trace.strings.size(),
           [&](std::size_t row) { return warm_up[row] != 0 ? kNone : trace.ranges.name[row]; },
           [&](std::uint32_t key) { return trace.strings.view(key); })) {
    sums.ranges.push_back({std::string(trace.strings.view(group.key)), group.summary});
  }
  if (const auto found = find_iterations(trace, analysis.attribution())) {
    sums.metrics["iteration_time"] = {found->duration.median, ColumnType::duration};
    sums.iteration = found->name;
  } else {
    sums.absent["iteration_time"] = found.error().message();
  }
}

}  // namespace

ProfileSums profile_sums(Analysis& analysis) {
  ProfileSums sums = sums_of(analysis.trace());
  sums.without_call_pct = without_call_pct(analysis.trace());
  add_shapes(analysis.trace(), sums);
  add_ranges(analysis, sums);
  return sums;
}

ProfileSums profile_sums_within(Analysis& analysis, const std::vector<std::uint8_t>& chosen,
                                RangeRule rule, double count) {
  ProfileSums sums = sums_of(trace_within(analysis.trace(), chosen, rule));
  sums.without_call_pct = without_call_pct(analysis.trace());
  for (auto& [name, metric] : sums.metrics) metric.value /= count;
  add_shapes(analysis.trace(), sums);
  add_ranges(analysis, sums);
  return sums;
}

Result<ProfileSums> profile_sums(const StatsFile& stats) {
  const StatsTable* kernels = stats.find("cuda_gpu_kern_sum");
  if (kernels == nullptr) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} holds no cuda_gpu_kern_sum to compare", stats.file));
  }
  ProfileSums sums{.file = stats.file, .product = "nsys stats", .kernels = kernels->rows};
  if (const StatsTable* ranges = stats.find("nvtx_sum")) sums.ranges = ranges->rows;
  add_kernel_metrics(sums);
  return sums;
}

ProfileSums profile_sums(const NcuReport& report, std::string file) {
  std::map<std::string, std::vector<std::int64_t>> durations;
  std::set<std::string> gpus;
  for (const NcuLaunch& launch : report.launches) {
    gpus.insert(device_name(report, launch));
    const auto took = measure_work(launch).duration_ns;
    if (took) durations[launch.name].push_back(std::llround(*took));
  }
  ProfileSums sums{.file = std::move(file), .product = "NVIDIA Nsight Compute"};
  sums.gpus.assign(gpus.begin(), gpus.end());
  for (auto& [name, values] : durations) sums.kernels.push_back({name, summarise(values)});
  std::ranges::stable_sort(sums.kernels, std::greater{},
                           [](const NamedSummary& kernel) { return kernel.summary.total; });
  add_kernel_metrics(sums);
  return sums;
}

Result<Metric> find_metric(const ProfileSums& sums, std::string_view name) {
  const auto found = sums.metrics.find(name);
  if (found != sums.metrics.end()) return found->second;
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view pattern = unquoted(name.substr(colon + 1));
    if (name.starts_with("kernel_time:")) return average_of(sums.kernels, pattern, "kernel");
    if (name.starts_with("range_time:")) return average_of(sums.ranges, pattern, "range");
  }
  const auto absent = sums.absent.find(name);
  if (absent != sums.absent.end()) {
    return fail(ErrorCode::not_found,
                fmt::format("{} has no {}: {}", sums.file, name, absent->second));
  }
  std::string known;
  for (const auto& [metric, value] : sums.metrics) known += metric + ", ";
  return fail(ErrorCode::not_found,
              fmt::format("{} has no figure '{}'; it has {}kernel_time:NAME, range_time:NAME",
                          sums.file, name, known));
}

}  // namespace assay::trace
