#include "cli/metrics_flags.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/os.hpp"
#include "model/device_metrics.hpp"
#include "profile/engines.hpp"

namespace assay::cli {
namespace {

std::string check_name(const std::string& name) {
  return is_profiler_name(name) ? "" : "'" + name + "' is no name that Nsight Compute could have";
}

CLI::Option* add_names(CLI::App& command, const std::string& option,
                       std::vector<std::string>& names, const std::string& help) {
  return command.add_option(option, names, help)
      ->delimiter(',')
      ->check(CLI::Validator(check_name, "NAME"));
}

}  // namespace

profile::Engine find_ncu() {
  const char* const path = std::getenv("PATH");
  auto engines = profile::find_engines(path == nullptr ? "" : path);
  return std::move(*std::ranges::find(engines, "ncu", &profile::Engine::name));
}

bool counters_are_restricted() {
  const auto parameters = read_file("/proc/driver/nvidia/params");
  return !parameters || parameters->find("RmProfilingAdminOnly: 0") == std::string::npos;
}

void add_metrics_flags(CLI::App& command, MetricsFlags& flags) {
  command
      .add_flag("--device-metrics", flags.always,
                "Collect a GPU's counters for requests that do not say whether (Nsight Compute)")
      ->envname("ENABLE_DEVICE_METRICS");
  add_names(command, "--ncu-sections", flags.sections,
            "Sections of Nsight Compute to collect (default: what the answer's groups need)")
      ->envname("NCU_SECTIONS");
  add_names(command, "--ncu-sets", flags.sets, "Sets of Nsight Compute to collect")
      ->envname("NCU_METRIC_SETS");
  command
      .add_option("--ncu", flags.ncu,
                  "Nsight Compute's command (default: the one on PATH or where it is installed)")
      ->envname("ASSAY_NCU");
  command
      .add_option("--counter-capability", flags.capability,
                  "The capability that a jailed profiler keeps where the driver lets only "
                  "administrators read counters, and the server is root: perfmon, sys_admin, none")
      ->check(CLI::IsMember({"perfmon", "sys_admin", "none"}))
      ->envname("ASSAY_COUNTER_CAPABILITY")
      ->capture_default_str();
}

std::vector<std::string> worker_words(const MetricsFlags& flags,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> words{"--metrics-folder", folder.string(), "--counter-capability",
                                 flags.capability};
  if (flags.ncu) {
    words.insert(words.end(), {"--ncu", flags.ncu->string()});
  } else {
    const profile::Engine engine = find_ncu();
    if (engine.path) words.insert(words.end(), {"--found-ncu", engine.path->string()});
    words.insert(words.end(), {"--looked-for", engine.told});
  }
  if (flags.always) words.emplace_back("--device-metrics");
  for (const std::string& name : flags.sections) {
    words.insert(words.end(), {"--ncu-sections", name});
  }
  for (const std::string& name : flags.sets) words.insert(words.end(), {"--ncu-sets", name});
  return words;
}

void add_worker_metrics_flags(CLI::App& command, WorkerMetricsFlags& flags) {
  add_metrics_flags(command, flags.flags);
  command.add_option("--metrics-folder", flags.folder);
  command.add_option("--found-ncu", flags.found);
  command.add_option("--looked-for", flags.looked_for);
}

}  // namespace assay::cli
