#include "metrics/ncu_command.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "model/device_metrics.hpp"

namespace assay::metrics {

std::span<const std::string_view> usual_sections() {
  static constexpr std::array<std::string_view, 12> kSections{
      "SpeedOfLight",
      "SpeedOfLight_RooflineChart",
      "SpeedOfLight_HierarchicalHalfRooflineChart",
      "SpeedOfLight_HierarchicalTensorRooflineChart",
      "ComputeWorkloadAnalysis",
      "MemoryWorkloadAnalysis",
      "MemoryWorkloadAnalysis_Tables",
      "LaunchStats",
      "Occupancy",
      "SchedulerStats",
      "WarpStateStats",
      "SourceCounters"};
  return kSections;
}

std::vector<std::string> ncu_command(const NcuRun& run) {
  std::vector<std::string> argv{
      run.ncu.string(), "--config-file", "off",
      // A kernel may be launched by a process that the runner starts.
      "--target-processes", "all",
      // One call, of all threads: a range that is opened and closed, not pushed and popped.
      "--nvtx", "--nvtx-include", run.range,
      // Every launch again for each pass, over its memory as it was, from an empty cache, at the
      // clocks it would have had: as it is timed.
      "--replay-mode", "kernel", "--cache-control", "all", "--clock-control", "none",
      "--launch-count", fmt::format("{}", run.first_of_each_grid ? 1 : kMostLaunches),
      "--force-overwrite", "--export", run.report.string(), "--log-file", run.log_file.string()};
  if (run.first_of_each_grid) {
    argv.insert(argv.end(), {"--filter-mode", "per-launch-config"});  // each has its own count
  }
  if (!run.kernels.empty()) {
    argv.insert(argv.end(),
                {"--kernel-name-base", "function", "--kernel-name", "regex:" + run.kernels});
  }
  const auto add_each = [&argv](std::string_view option, const auto& names) {
    for (const auto& name : names) {
      argv.emplace_back(option);
      argv.emplace_back(name);
    }
  };
  if (run.wanted.any()) {
    for (const std::string& set : run.wanted.sets) {
      // What others call a set is a section of the profiler.
      const bool is_section = set == "speed-of-light";
      argv.emplace_back(is_section ? "--section" : "--set");
      argv.emplace_back(is_section ? "SpeedOfLight" : set);
    }
    add_each("--section", run.wanted.sections);
  } else {
    add_each("--section", usual_sections());
  }
  if (!run.wanted.metrics.empty()) {
    argv.emplace_back("--metrics");
    argv.push_back(fmt::format("{}", fmt::join(run.wanted.metrics, ",")));
  }
  return argv;
}

}  // namespace assay::metrics
