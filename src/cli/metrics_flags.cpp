#include "cli/metrics_flags.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/os.hpp"
#include "cli/heading.hpp"
#include "model/device_info.hpp"
#include "model/device_metrics.hpp"
#include "profile/engines.hpp"

namespace assay::cli {
namespace {

std::string check_name(const std::string& name) {
  return is_profiler_name(name) ? "" : "'" + name + "' cannot be a name of Nsight Compute";
}

CLI::Option* add_names(CLI::App& command, const std::string& option,
                       std::vector<std::string>& names, const std::string& help) {
  return command.add_option(option, names, help)
      ->delimiter(',')
      ->check(CLI::Validator(check_name, "NAME"));
}

/// The first two options where the command was named or found, the third with where it was not.
void add_program(std::vector<std::string>& words, const std::optional<std::filesystem::path>& named,
                 const profile::Engine& engine, const std::array<std::string, 3>& options) {
  if (named) {
    words.insert(words.end(), {options[0], named->string()});
    return;
  }
  if (engine.path) words.insert(words.end(), {options[1], engine.path->string()});
  words.insert(words.end(), {options[2], engine.told});
}

}  // namespace

profile::Engine find_ncu() {
  const char* const path = std::getenv("PATH");
  auto engines = profile::find_engines(path == nullptr ? "" : path);
  return std::move(*std::ranges::find(engines, "ncu", &profile::Engine::name));
}

profile::Engine find_compute_sanitizer() {
  const char* const path = std::getenv("PATH");
  return profile::find_sanitizer(path == nullptr ? "" : path);
}

bool has_sanitizer(const MetricsFlags& flags, DeviceKind device) {
  std::error_code ignored;
  if (flags.sanitizer) return std::filesystem::exists(*flags.sanitizer, ignored);
  return device == DeviceKind::cuda && find_compute_sanitizer().path.has_value();
}

bool counters_are_restricted() {
  const auto parameters = read_file("/proc/driver/nvidia/params");
  return !parameters || parameters->find("RmProfilingAdminOnly: 0") == std::string::npos;
}

void add_metrics_flags(CLI::App& command, MetricsFlags& flags) {
  const Heading heading(command, "Counters and sanitizers of GPUs");
  command
      .add_flag(
          "--device-metrics", flags.always,
          "Collect a GPU's counters (Nsight Compute) for every request that does not refuse them")
      ->envname("ENABLE_DEVICE_METRICS");
  add_names(command, "--ncu-sections", flags.sections,
            "Sections of Nsight Compute to collect (default: what the answer's groups need)")
      ->envname("NCU_SECTIONS");
  add_names(command, "--ncu-sets", flags.sets, "Sets of Nsight Compute to collect")
      ->envname("NCU_METRIC_SETS");
  command
      .add_option("--metric-sets", flags.own_sets,
                  "A JSON file of sets that requests may name: {\"memory\": {\"sections\": [...], "
                  "\"metrics\": [...]}}")
      ->envname("ASSAY_METRIC_SETS");
  command
      .add_option("--ncu", flags.ncu,
                  "Nsight Compute's command (default: the one on PATH or where it is installed)")
      ->envname("ASSAY_NCU");
  command
      .add_option("--cupti", flags.cupti,
                  "The library that knows which metrics a chip has (default: the one with the CUDA "
                  "toolkit)")
      ->envname("ASSAY_CUPTI");
  command
      .add_option("--counter-chip", flags.chip,
                  "The chip whose metrics requests may name, as `assay metrics chips` lists it "
                  "(default: the device's own)")
      ->envname("ASSAY_COUNTER_CHIP");
  command
      .add_option("--compute-sanitizer", flags.sanitizer,
                  "The command that checks kernels on GPUs for requests with sanitize (default: "
                  "the one on PATH or of the CUDA toolkit)")
      ->envname("ASSAY_COMPUTE_SANITIZER");
  command
      .add_option("--counter-capability", flags.capability,
                  "The capability that a jailed profiler keeps if the server is root and the "
                  "driver lets only administrators read counters: perfmon, sys_admin, none")
      ->check(CLI::IsMember({"perfmon", "sys_admin", "none"}))
      ->envname("ASSAY_COUNTER_CAPABILITY")
      ->capture_default_str();
}

std::vector<std::string> worker_words(const MetricsFlags& flags, const ReportFolders& folders) {
  std::vector<std::string> words{"--metrics-folder",     folders.passing.string(),
                                 "--kept-metrics",       folders.kept.string(),
                                 "--kept-metrics-bytes", std::to_string(folders.kept_bytes),
                                 "--counter-capability", flags.capability};
  add_program(words, flags.ncu, find_ncu(), {"--ncu", "--found-ncu", "--looked-for"});
  add_program(words, flags.sanitizer, find_compute_sanitizer(),
              {"--compute-sanitizer", "--found-sanitizer", "--sanitizer-looked-for"});
  if (flags.always) words.emplace_back("--device-metrics");
  if (flags.own_sets) {
    words.insert(words.end(),
                 {"--metric-sets", std::filesystem::absolute(*flags.own_sets).string()});
  }
  for (const std::string& name : flags.sections) {
    words.insert(words.end(), {"--ncu-sections", name});
  }
  for (const std::string& name : flags.sets) words.insert(words.end(), {"--ncu-sets", name});
  return words;
}

void add_worker_metrics_flags(CLI::App& command, WorkerMetricsFlags& flags) {
  add_metrics_flags(command, flags.flags);
  command.add_option("--metrics-folder", flags.folders.passing);
  command.add_option("--kept-metrics", flags.folders.kept);
  command.add_option("--kept-metrics-bytes", flags.folders.kept_bytes);
  command.add_option("--found-ncu", flags.found);
  command.add_option("--looked-for", flags.looked_for);
  command.add_option("--found-sanitizer", flags.found_sanitizer);
  command.add_option("--sanitizer-looked-for", flags.sanitizer_looked_for);
}

}  // namespace assay::cli
