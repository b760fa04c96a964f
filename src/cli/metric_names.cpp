#include "cli/metric_names.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "device/chips.hpp"
#include "metrics/known_metrics.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/request.hpp"
#include "process/exit_status.hpp"
#include "process/jail_support.hpp"
#include "process/run_captured.hpp"
#include "process/subprocess.hpp"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kLongest{20};  // a tenth of a second, if nothing is wrong
constexpr std::size_t kMostOutput = std::size_t{8} << 20U;

/// The first word of each line.
std::vector<std::string> first_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (const auto word = line.substr(0, line.find(' ')); !word.empty()) words.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string> environment() {
  std::vector<std::string> passed;
  for (const char* name : {"LD_LIBRARY_PATH", "PATH", "HOME"}) {
    if (const char* value = std::getenv(name)) passed.push_back(fmt::format("{}={}", name, value));
  }
  return passed;
}

}  // namespace

MetricNames::MetricNames(MetricNamesOptions options, std::vector<DeviceInfo> devices,
                         const Log& log)
    : options_(std::move(options)), devices_(std::move(devices)), log_(log) {}

std::vector<std::string> MetricNames::read(const std::string& chip) const {
  const SystemClock clock;
  process::Command command{.argv = {options_.executable, "metrics", "list", "--chip", chip},
                           .environment = environment()};
  if (!options_.cupti.empty()) {
    command.argv.insert(command.argv.end(), {"--cupti", options_.cupti});
  }
  const auto run = process::run_captured(command, process::JailSupport{}, Deadline(clock, kLongest),
                                         {}, kMostOutput);
  if (run && run->status == process::ExitStatus(process::Exited{0})) {
    return first_words(run->output);
  }
  log_.warning("metrics", "names of metrics are not checked: {}",
               run ? run->output : run.error().message());
  return {};
}

const metrics::KnownMetrics* MetricNames::names_of(const Chips& chips) {
  const auto [place, is_new] = known_.try_emplace(chips);
  if (is_new) {
    std::vector<std::string> names;
    for (const std::string& chip : chips) {
      auto own = read(chip);
      if (own.empty()) return nullptr;  // a chip that is not known may have any
      names.insert(names.end(), own.begin(), own.end());
    }
    place->second = std::make_unique<const metrics::KnownMetrics>(std::move(names));
  }
  return place->second.get();
}

std::optional<std::string> MetricNames::mistake_in(const Request& request,
                                                   const std::optional<DeviceId>& device) {
  if (!request.device_metrics || request.device_metrics->wanted.metrics.empty()) return {};
  std::optional<std::string> mistake;
  const MutexLock lock(mutex_);
  for (const DeviceInfo& own : devices_) {
    if (device && own.id != *device) continue;
    const Chips chips = options_.chip ? Chips{*options_.chip} : device::chips_with(own.compute);
    const auto* known = chips.empty() ? nullptr : names_of(chips);
    if (known == nullptr) return std::nullopt;
    mistake = known->mistake_in(request.device_metrics->wanted.metrics);
    if (!mistake) return std::nullopt;
  }
  return mistake;
}

}  // namespace assay::cli
