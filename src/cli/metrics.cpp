#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/cupti_library.hpp"
#include "device/chip_metrics.hpp"
#include "metrics/counters.hpp"
#include "metrics/keys.hpp"
#include "metrics/known_metrics.hpp"
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

std::string find_cupti(const MetricsOptions& options) {
  const SystemClock clock;
  std::vector<std::filesystem::path> roots;
  if (!options.cupti) {
    const auto jails = process::probe_jail_support();
    if (const auto python = python::find_interpreter(std::nullopt, jails, clock)) {
      roots.push_back(python->program.parent_path().parent_path());
    }
  }
  return cupti_library(options.cupti, roots);
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

int plan(const MetricsOptions& options) {
  const auto chip = device::ChipMetrics::open(find_cupti(options), options.chip);
  if (!chip) return report(chip.error());
  auto names = chip->names();
  if (!names) return report(names.error());
  const metrics::KnownMetrics known(*std::move(names));
  if (auto mistake = known.mistake_in(options.metrics)) {
    return report(Error(ErrorCode::invalid_argument, *std::move(mistake)));
  }
  std::vector<std::string> planned = options.metrics;
  if (planned.empty()) {
    planned = metrics::usual_counters();
    std::erase_if(planned, [&](const std::string& metric) { return !known.has(metric); });
  }
  for (const std::string& metric : planned) {
    const auto alone = chip->passes(std::vector{metric});
    if (!alone) return report(alone.error());
    fmt::print("{:>3} passes  {}\n", *alone, metric);
  }
  const auto all = chip->passes(planned);
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
  command->footer("Examples:\n  assay metrics chips\n  assay metrics keys");
  auto options = std::make_shared<MetricsOptions>();  // shared with the callbacks
  const auto add = [&](const char* name, const char* help, const char* example,
                       int (*action)(const MetricsOptions&)) {
    auto* sub = command->add_subcommand(name, help);
    sub->footer(std::string("Example:\n  assay metrics ") + example);
    sub->add_option("--cupti", options->cupti,
                    "The CUPTI library (default: the one with the CUDA toolkit)")
        ->envname("ASSAY_CUPTI");
    sub->callback([options, action] { throw CLI::RuntimeError(action(*options)); });
    return sub;
  };
  add("chips", "The chips that CUPTI knows", "chips", list_chips);
  auto* list = add("list", "The metrics of a chip", "list dram__bytes", list_metrics);
  list->add_option("PART", options->part, "Only names that contain this");
  auto* planned = add("plan", "How often a kernel must run for metrics to be collected",
                      "plan sm__throughput.avg.per_second", plan);
  planned->add_option(
      "METRIC", options->metrics,
      "Metrics with their rollup: sm__throughput.avg.per_second (default: those that "
      "device_metrics counts with CUPTI)");
  for (auto* sub : {list, planned}) {
    sub->add_option("--chip", options->chip, "As `assay metrics chips` names it")
        ->capture_default_str();
  }
  auto* all_keys = command->add_subcommand("keys", "The numbers of device_metrics");
  all_keys->footer("Example:\n  assay metrics keys");
  all_keys->callback([] { throw CLI::RuntimeError(list_keys()); });
}

}  // namespace assay::cli
