#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "compile/cuda_toolkit.hpp"
#include "device/chip_metrics.hpp"
#include "metrics/keys.hpp"
#include "metrics/nearest_names.hpp"
#include "process/jail_support.hpp"
#include "python/interpreter.hpp"

namespace assay::cli {
namespace {

struct MetricsOptions {
  std::string chip = "GH100";
  std::string part;                  // of a name
  std::vector<std::string> metrics;  // to plan
  std::optional<std::filesystem::path> cupti;
};

/// Beside the CUDA libraries that kernels are compiled with; empty where none is found, and then
/// the linker is asked.
std::string find_cupti(const MetricsOptions& options) {
  if (options.cupti) return options.cupti->string();
  const SystemClock clock;
  const auto jails = process::probe_jail_support();
  std::vector<std::filesystem::path> roots;
  if (const auto python = python::find_interpreter(std::nullopt, jails, clock)) {
    roots.push_back(python->program.parent_path().parent_path());
  }
  const auto toolkit = compile::find_cuda_toolkit(roots);
  if (!toolkit) return {};
  const std::filesystem::path folder = toolkit->nvrtc.parent_path();
  for (const auto& place : {folder, folder / "../extras/CUPTI/lib64"}) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
      if (std::filesystem::exists(place / name)) return (place / name).string();
    }
  }
  return {};
}

int list_chips(const MetricsOptions& options) {
  const auto chips = device::ChipMetrics::chips(find_cupti(options));
  if (!chips) return report(chips.error());
  for (const std::string& chip : *chips) fmt::print("{}\n", chip);
  return kSuccess;
}

int list_metrics(const MetricsOptions& options) {
  const auto chip = device::ChipMetrics::open(find_cupti(options), options.chip);
  if (!chip) return report(chip.error());
  const auto names = chip->names();
  if (!names) return report(names.error());
  for (const std::string& name : *names) {
    if (name.find(options.part) == std::string::npos) continue;
    const auto properties = chip->describe(name);
    fmt::print("{:<70} {:<12} {}\n", name, properties ? properties->unit : "",
               properties ? properties->description : "");
  }
  return kSuccess;
}

/// A name that the chip does not have, with those it has that are most like it.
Error unknown(const device::ChipMetrics& chip, const std::string& metric) {
  const std::string base = metric.substr(0, metric.find('.'));
  const auto names = chip.names();
  const auto near = names ? metrics::nearest_names(base, *names) : std::vector<std::string>{};
  return {ErrorCode::invalid_argument, near.empty()
                                           ? fmt::format("there is no metric {}", metric)
                                           : fmt::format("there is no metric {}; did you mean {}?",
                                                         metric, fmt::join(near, ", "))};
}

int plan(const MetricsOptions& options) {
  const auto chip = device::ChipMetrics::open(find_cupti(options), options.chip);
  if (!chip) return report(chip.error());
  for (const std::string& metric : options.metrics) {
    if (!chip->describe(metric)) return report(unknown(*chip, metric));
  }
  for (const std::string& metric : options.metrics) {
    const auto alone = chip->passes(std::vector{metric});
    if (!alone) return report(alone.error());
    fmt::print("{:>3} passes  {}\n", *alone, metric);
  }
  const auto all = chip->passes(options.metrics);
  if (!all) return report(all.error());
  fmt::print("{:>3} passes  all of them together\n", *all);
  return kSuccess;
}

int list_keys() {
  for (const metrics::Key& key : metrics::keys()) {
    fmt::print("{:<24} {:<42} {:<20} {:<22} {}\n", key.group, key.key, key.unit,
               to_string(key.rule), key.metric);
  }
  return kSuccess;
}

}  // namespace

void add_metrics(CLI::App& app) {
  auto* command = app.add_subcommand(
      "metrics", "Say which counters GPUs have and what they cost; no GPU is needed");
  command->require_subcommand(1);
  auto options = std::make_shared<MetricsOptions>();  // shared with the callbacks
  const auto add = [&](const char* name, const char* help, int (*action)(const MetricsOptions&)) {
    auto* sub = command->add_subcommand(name, help);
    sub->add_option("--cupti", options->cupti,
                    "The library that knows (default: the one with the CUDA toolkit)")
        ->envname("ASSAY_CUPTI");
    sub->callback([options, action] { throw CLI::RuntimeError(action(*options)); });
    return sub;
  };
  add("chips", "The chips that CUPTI knows", list_chips);
  auto* list = add("list", "The metrics of a chip", list_metrics);
  list->add_option("PART", options->part, "Only names that contain this");
  auto* planned = add("plan", "How often a kernel must run for metrics to be collected", plan);
  planned->add_option("METRIC", options->metrics, "With its rollup: sm__throughput.avg.per_second")
      ->required();
  for (auto* sub : {list, planned}) {
    sub->add_option("--chip", options->chip, "As `assay metrics chips` names it")
        ->capture_default_str();
  }
  auto* all_keys = command->add_subcommand("keys", "The numbers of device_metrics");
  all_keys->callback([] { throw CLI::RuntimeError(list_keys()); });
}

}  // namespace assay::cli
