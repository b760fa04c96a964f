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
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/busy.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
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

void add_kernel_metrics(ProfileSums& sums) {
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

}  // namespace

ProfileSums profile_sums(Analysis& analysis) {
  const Trace& trace = analysis.trace();
  ProfileSums sums{.file = trace.capture.file,
                   .product = trace.capture.product,
                   .schema = trace.capture.schema,
                   .command = trace.capture.command,
                   .kernels = kernel_sums(trace, KernelNaming::demangled),
                   .kernels_without_call = trace.diagnostics.count("kernels_without_api_row")};
  std::set<std::string> gpus;
  for (const Gpu& gpu : trace.capture.gpus) gpus.insert(gpu.name);
  sums.gpus.assign(gpus.begin(), gpus.end());
  for (const Group& group : group_durations(
           trace.ranges, trace.strings.size(),
           [&](std::size_t row) { return trace.ranges.name[row]; },
           [&](std::uint32_t key) { return trace.strings.view(key); })) {
    sums.ranges.push_back({std::string(trace.strings.view(group.key)), group.summary});
  }
  add_kernel_metrics(sums);
  std::int64_t busy = 0;
  std::int64_t idle = 0;
  std::int64_t span = 0;
  for (const DeviceBusy& device : device_busy(trace)) {
    busy += device.busy;
    idle += device.idle();
    span += device.span;
  }
  const auto add = [&](const char* name, std::int64_t value, ColumnType type) {
    sums.metrics[name] = {static_cast<double>(value), type};
  };
  add("gpu_busy", busy, ColumnType::duration);
  add("gpu_idle", idle, ColumnType::duration);
  add("gpu_span", span, ColumnType::duration);
  add("api_time", total_of_spans(trace.calls), ColumnType::duration);
  add("copy_time", total_of_spans(trace.copies), ColumnType::duration);
  std::uint64_t bytes = 0;
  for (const std::uint64_t amount : trace.copies.bytes) bytes += amount;
  sums.metrics["copied_bytes"] = {static_cast<double>(bytes), ColumnType::bytes};
  if (const auto found = find_iterations(trace, analysis.attribution())) {
    sums.metrics["iteration_time"] = {found->duration.median, ColumnType::duration};
  }
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
  std::string known;
  for (const auto& [metric, value] : sums.metrics) known += metric + ", ";
  return fail(ErrorCode::not_found,
              fmt::format("{} has no figure '{}'; it has {}kernel_time:NAME, range_time:NAME",
                          sums.file, name, known));
}

}  // namespace assay::trace
