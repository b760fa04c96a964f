#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/kernel_choice.hpp"
#include "model/names.hpp"

namespace assay {

/// Whether this can be the name of a set, a section or a metric. A name must not begin like an
/// option. Nor may it hold characters that mean something to a profiler.
constexpr bool is_profiler_name(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= kLongest && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, fits);
}

/// Which counters a request asks for, by the profiler's own names; all empty: the usual ones.
struct MetricsWanted {
  std::vector<std::string> sets;
  std::vector<std::string> sections;
  std::vector<std::string> metrics;

  [[nodiscard]] bool any() const { return !sets.empty() || !sections.empty() || !metrics.empty(); }
};

/// Sets that whoever runs the server has named.
using MetricSets = std::map<std::string, MetricsWanted>;

/// `wanted` with each named set replaced by what it stands for.
[[nodiscard]] inline MetricsWanted expanded(MetricsWanted wanted, const MetricSets& sets) {
  std::vector<std::string> others;
  for (const std::string& name : wanted.sets) {
    const auto set = sets.find(name);
    if (set == sets.end()) {
      others.push_back(name);
      continue;
    }
    const MetricsWanted& meant = set->second;
    others.insert(others.end(), meant.sets.begin(), meant.sets.end());
    wanted.sections.insert(wanted.sections.end(), meant.sections.begin(), meant.sections.end());
    wanted.metrics.insert(wanted.metrics.end(), meant.metrics.begin(), meant.metrics.end());
  }
  wanted.sets = std::move(others);
  return wanted;
}

/// Who reads counters.
enum class MetricsCollector : std::uint8_t {
  ncu,        // Nsight Compute, around the kernel's process
  cupti,      // CUPTI inside it where it can, else ncu
  automatic,  // what ncu read before, else the same as cupti
};

inline constexpr NameTable<MetricsCollector, 3> kMetricsCollectorNames = {{
    {MetricsCollector::ncu, "ncu"},
    {MetricsCollector::cupti, "cupti"},
    {MetricsCollector::automatic, "auto"},
}};

constexpr std::string_view to_string(MetricsCollector collector) {
  return name_in(kMetricsCollectorNames, collector);
}

/// Of requests that name none.
inline constexpr MetricsCollector kUsualCollector = MetricsCollector::ncu;

/// What a request says about counters. A request that says nothing leaves it to the server.
struct MetricsRequest {
  bool asked = false;
  bool explained = false;  // a page of text too
  bool fresh = false;      // read them again, whatever was read before
  MetricsWanted wanted;
  KernelChoice kernels{};
  int runs = 1;  // of which the medians are taken
  MetricsCollector collector = kUsualCollector;
};

/// How the collection of counters ended. The evaluation's result never depends on it.
enum class MetricsState : std::uint8_t {
  collected,
  no_profiler,  // it is not installed
  forbidden,    // the driver lets only administrators read counters
  unsupported,  // this device or this kernel has none
  timed_out,
  failed,
  skipped,  // the kernel was not accepted, or the request's time was spent
};

inline constexpr NameTable<MetricsState, 7> kMetricsStateNames = {{
    {MetricsState::collected, "collected"},
    {MetricsState::no_profiler, "no_profiler"},
    {MetricsState::forbidden, "forbidden"},
    {MetricsState::unsupported, "unsupported"},
    {MetricsState::timed_out, "timed_out"},
    {MetricsState::failed, "failed"},
    {MetricsState::skipped, "skipped"},
}};

constexpr std::string_view to_string(MetricsState state) {
  return name_in(kMetricsStateNames, state);
}

/// Who read the counters of one side.
struct CollectorUsed {
  std::string side;  // "original", "custom"
  MetricsCollector by = MetricsCollector::ncu;
  std::string reason{};    // why it was not CUPTI, where that was asked for
  std::size_t passes = 0;  // how often CUPTI had the call made
};

struct MetricsStatus {
  MetricsState state = MetricsState::failed;
  std::string reason;             // what happened, for people; empty where all went well
  std::string advice;             // what to do about it
  std::string profiler;           // its version, where known
  std::optional<double> seconds;  // what the collection took
  /// Sides whose counters were read earlier, of the same builds: "original", "custom".
  std::vector<std::string> cached{};
  std::string kernels{};  // which launches were profiled, in words; empty: all of them
  std::vector<CollectorUsed> collectors{};
};

using MetricContent = std::variant<double, std::string>;

struct MetricValue {
  std::string key;
  MetricContent value;
};

struct MetricGroup {
  std::string name;
  std::vector<MetricValue> values;
};

/// One launch inside the measured call.
struct MetricLaunch {
  std::string kernel;
  std::string grid;  // "128 x 1 x 1"
  std::string block;
  std::optional<double> duration_ns;
  std::optional<double> share;  // of the time of all launches
  std::vector<MetricGroup> groups;
};

/// What the counters say in a sentence, with the numbers it is said from.
struct MetricFinding {
  std::string rule;
  std::string text;
  std::vector<MetricValue> numbers;
};

/// How far the runs lie apart in one number.
struct MetricSpread {
  std::string group;
  std::string key;
  double least = 0;
  double most = 0;
};

/// What one call of one kernel did, over all its launches.
struct CallMetrics {
  std::vector<MetricGroup> groups;
  std::vector<MetricLaunch> launches;
  std::vector<MetricFinding> findings;
  std::size_t runs = 1;                // numbers are the medians of these
  std::vector<MetricSpread> spread{};  // of numbers that differ between runs
};

/// A value that both calls have.
struct MetricChange {
  std::string group;
  std::string key;
  double original = 0;
  double custom = 0;
};

/// What came of the counters that were asked for.
struct DeviceMetrics {
  MetricsStatus status;
  std::optional<CallMetrics> original;
  std::optional<CallMetrics> custom;
  std::vector<MetricChange> changes;
  std::string explanation;  // the page, where it was asked for
};

}  // namespace assay
