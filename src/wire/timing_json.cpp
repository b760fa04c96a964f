#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/device_state.hpp"
#include "model/names.hpp"
#include "model/timing_mode.hpp"
#include "model/timing_summary.hpp"
#include "wire/fields.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {
namespace {

template <class T>
void add(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

void add(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

void add(Json& json, const char* key, const std::optional<Interval>& interval) {
  if (interval) json[key] = {interval->low, interval->high};
}

/// The member of a name; nothing where it is not there, as in what older versions wrote.
template <class T>
std::optional<T> find(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::nullopt : std::optional<T>(found->get<T>());
}

std::optional<Interval> find_interval(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  return Interval{.low = found->at(0), .high = found->at(1)};
}

template <class Enum, std::size_t N>
std::optional<Enum> find_name(const Json& json, const char* key, const NameTable<Enum, N>& names) {
  const auto text = find<std::string>(json, key);
  return text ? value_in(names, *text) : std::nullopt;
}

Json call_time_json(const CallTime& time) {
  Json json = {{"ns", time.ns}};
  add(json, "ci95", time.interval);
  return json;
}

std::optional<CallTime> find_call_time(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return std::nullopt;
  return CallTime{.ns = found->at("ns"), .interval = find_interval(*found, "ci95")};
}

Json state_json(const DeviceState& state) {
  Json json = {{"slowed_by", state.slowed_by}};
  add(json, "sm_clock_mhz", state.sm_clock_mhz);
  add(json, "memory_clock_mhz", state.memory_clock_mhz);
  add(json, "temperature_celsius", state.temperature_celsius);
  add(json, "power_watts", state.power_watts);
  add(json, "processes", state.processes);
  return json;
}

DeviceState read_state(const Json& json) {
  return {.sm_clock_mhz = find<unsigned>(json, "sm_clock_mhz"),
          .memory_clock_mhz = find<unsigned>(json, "memory_clock_mhz"),
          .temperature_celsius = find<unsigned>(json, "temperature_celsius"),
          .power_watts = find<double>(json, "power_watts"),
          .slowed_by = json.at("slowed_by"),
          .processes = find<unsigned>(json, "processes")};
}

Json batch_json(const BatchSummary& batch) {
  Json json = {{"samples", batch.samples},
               {"median_ns", batch.median_ns},
               {"wall_ns", batch.wall.count()},
               {"used", !batch.unused_because.has_value()}};
  add(json, "unused_because", batch.unused_because);
  if (batch.state) json["state"] = state_json(*batch.state);
  return json;
}

BatchSummary read_batch(const Json& json) {
  BatchSummary batch{.samples = json.at("samples"),
                     .median_ns = json.at("median_ns"),
                     .wall = std::chrono::nanoseconds(json.at("wall_ns").get<std::int64_t>()),
                     .unused_because = find<std::string>(json, "unused_because")};
  if (const auto state = json.find("state"); state != json.end()) batch.state = read_state(*state);
  return batch;
}

Json statistics_json(const Statistics& s) {
  Json json = {{"mean", s.mean},
               {"std", s.std},
               {"min", s.min},
               {"max", s.max},
               {"median", s.median},
               {"percentile_95", s.percentile_95},
               {"percentile_99", s.percentile_99}};
  add(json, "median_ci95", s.median_interval);
  return json;
}

Statistics read_statistics(const Json& json) {
  return {.mean = json.at("mean"),
          .std = json.at("std"),
          .min = json.at("min"),
          .max = json.at("max"),
          .median = json.at("median"),
          .percentile_95 = json.at("percentile_95"),
          .percentile_99 = json.at("percentile_99"),
          .median_interval = find_interval(json, "median_ci95")};
}

std::size_t count_unused(const TimingSummary& timing) {
  std::size_t unused = 0;
  for (const BatchSummary& batch : timing.batches) unused += batch.unused_because ? 1U : 0U;
  return unused;
}

}  // namespace

Json kernel_time_json(const KernelTime& time) {
  Json json = {{"busy_ns", time.busy_ns}, {"kernels", Json::array()}};
  add(json, "span_ns", time.span_ns);
  for (const KernelShare& kernel : time.kernels) {
    Json told = {{"name", kernel.name},
                 {"launches", kernel.launches},
                 {"ns", kernel.ns},
                 {"share", kernel.share}};
    if (kernel.origin) told["origin"] = to_string(*kernel.origin);
    json["kernels"].push_back(std::move(told));
  }
  return json;
}

KernelTime read_kernel_time(const Json& json) {
  KernelTime time{
      .busy_ns = json.at("busy_ns"), .span_ns = find<double>(json, "span_ns"), .kernels = {}};
  for (const Json& kernel : json.at("kernels")) {
    time.kernels.push_back({.name = kernel.at("name"),
                            .launches = kernel.at("launches"),
                            .ns = kernel.at("ns"),
                            .share = kernel.at("share"),
                            .origin = find_name(kernel, "origin", kKernelOriginNames)});
  }
  return time;
}

Json timing_json(const TimingSummary& timing, bool with_samples) {
  Json json = {{"method", timing.method},
               {"mode", to_string(timing.mode)},
               {"sample_count", timing.samples.size()},
               {"statistics_ns", statistics_json(timing.statistics)},
               {"host_included", timing.host_included},
               {"batch_count", timing.batches.size()},
               {"unused_batches", count_unused(timing)}};
  if (timing.device_time) json["device_time"] = call_time_json(*timing.device_time);
  if (timing.kernel_time) json["kernel_time"] = kernel_time_json(*timing.kernel_time);
  add(json, "kernel_time_missing", timing.kernel_time_missing);
  if (timing.host_time) json["host_time"] = call_time_json(*timing.host_time);
  if (timing.trust) json["trust"] = to_string(*timing.trust);
  add(json, "trust_reason", timing.trust_reason);
  add(json, "event_overhead_ns", timing.event_overhead);
  add(json, "launch_excess_ns", timing.launch_excess);
  add(json, "clocks_locked", timing.clocks_locked);
  if (!with_samples) return json;
  json["samples_ns"] = timing.samples;
  for (const BatchSummary& batch : timing.batches) json["batches"].push_back(batch_json(batch));
  return json;
}

TimingSummary read_timing(const Json& json) {
  TimingSummary timing{.samples = json.at("samples_ns").get<std::vector<double>>(),
                       .statistics = read_statistics(json.at("statistics_ns")),
                       .method = json.at("method"),
                       .mode = find_name(json, "mode", kTimingModeNames).value_or(TimingMode::cold),
                       .device_time = find_call_time(json, "device_time"),
                       .kernel_time_missing = json.value("kernel_time_missing", ""),
                       .host_time = find_call_time(json, "host_time"),
                       .host_included = json.value("host_included", false),
                       .trust = find_name(json, "trust", kTrustNames),
                       .trust_reason = json.value("trust_reason", ""),
                       .event_overhead = find<double>(json, "event_overhead_ns"),
                       .launch_excess = find<double>(json, "launch_excess_ns"),
                       .clocks_locked = find<bool>(json, "clocks_locked")};
  if (const auto time = json.find("kernel_time"); time != json.end()) {
    timing.kernel_time = read_kernel_time(*time);
  }
  if (const auto batches = json.find("batches"); batches != json.end()) {
    for (const Json& batch : *batches) timing.batches.push_back(read_batch(batch));
  }
  return timing;
}

Json speed_json(const Speed& speed) {
  Json json = {{"speedup", speed.speedup},
               {"verdict", to_string(speed.verdict)},
               {"threshold", speed.threshold},
               {"confidence", speed.confidence},
               {"pairs", speed.pairs}};
  add(json, "interval", speed.interval);
  add(json, "ci95", speed.interval_95);
  return json;
}

Speed read_speed(const Json& json) {
  return {
      .speedup = json.at("speedup"),
      .interval = find_interval(json, "interval"),
      .interval_95 = find_interval(json, "ci95"),
      .verdict = find_name(json, "verdict", kSpeedVerdictNames).value_or(SpeedVerdict::undecided),
      .threshold = json.value("threshold", kSameWithin),
      .confidence = json.value("confidence", kSpeedConfidence),
      .pairs = json.value("pairs", std::size_t{0})};
}

}  // namespace assay::wire
