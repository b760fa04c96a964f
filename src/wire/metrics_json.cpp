#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/device_metrics.hpp"
#include "model/names.hpp"
#include "model/sanitizer_status.hpp"
#include "wire/fields.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {
namespace {

Json values_json(const std::vector<MetricValue>& values) {
  Json json = Json::object();
  for (const MetricValue& value : values) {
    std::visit([&](const auto& content) { json[value.key] = content; }, value.value);
  }
  return json;
}

std::vector<MetricValue> read_values(const Json& json) {
  std::vector<MetricValue> values;
  for (const auto& [key, content] : json.items()) {
    if (content.is_string()) {
      values.push_back({key, content.get<std::string>()});
    } else {
      values.push_back({key, content.get<double>()});
    }
  }
  return values;
}

/// The groups beside each other, as clients of the compatible API look for them.
void add_groups(Json& json, const std::vector<MetricGroup>& groups) {
  for (const MetricGroup& group : groups) json[group.name] = values_json(group.values);
}

/// What stands beside the groups of a call or a launch.
constexpr std::array<std::string_view, 9> kBeside{
    "kernel", "grid", "block", "duration_ns", "share", "launches", "findings", "runs", "spread"};

std::vector<MetricGroup> read_groups(const Json& json) {
  std::vector<MetricGroup> groups;
  for (const auto& [key, content] : json.items()) {
    if (std::ranges::find(kBeside, key) != kBeside.end()) continue;
    groups.push_back({.name = key, .values = read_values(content)});
  }
  return groups;
}

Json launch_json(const MetricLaunch& launch) {
  Json json = {{"kernel", launch.kernel}, {"grid", launch.grid}, {"block", launch.block}};
  if (launch.duration_ns) json["duration_ns"] = *launch.duration_ns;
  if (launch.share) json["share"] = *launch.share;
  add_groups(json, launch.groups);
  return json;
}

MetricLaunch read_launch(const Json& json) {
  MetricLaunch launch{.kernel = json.at("kernel"),
                      .grid = json.at("grid"),
                      .block = json.at("block"),
                      .groups = read_groups(json)};
  if (json.contains("duration_ns")) launch.duration_ns = json.at("duration_ns");
  if (json.contains("share")) launch.share = json.at("share");
  return launch;
}

Json call_json(const CallMetrics& call) {
  Json json = {{"launches", Json::array()}, {"findings", Json::array()}};
  for (const MetricLaunch& launch : call.launches) json["launches"].push_back(launch_json(launch));
  for (const MetricFinding& finding : call.findings) {
    json["findings"].push_back({{"rule", finding.rule},
                                {"text", finding.text},
                                {"numbers", values_json(finding.numbers)}});
  }
  if (call.runs > 1) json["runs"] = call.runs;
  for (const MetricSpread& spread : call.spread) {
    json["spread"][spread.group][spread.key] = {{"min", spread.least}, {"max", spread.most}};
  }
  add_groups(json, call.groups);
  return json;
}

CallMetrics read_call_metrics(const Json& json) {
  CallMetrics call{.groups = read_groups(json)};
  for (const Json& launch : json.at("launches")) call.launches.push_back(read_launch(launch));
  for (const Json& finding : json.at("findings")) {
    call.findings.push_back({.rule = finding.at("rule"),
                             .text = finding.at("text"),
                             .numbers = read_values(finding.at("numbers"))});
  }
  call.runs = json.value("runs", std::size_t{1});
  if (const auto spread = json.find("spread"); spread != json.end()) {
    for (const auto& [group, keys] : spread->items()) {
      for (const auto& [key, ends] : keys.items()) {
        call.spread.push_back(
            {.group = group, .key = key, .least = ends.at("min"), .most = ends.at("max")});
      }
    }
  }
  return call;
}

}  // namespace

Json metrics_status_json(const MetricsStatus& status) {
  Json json = {{"state", to_string(status.state)}};
  for (const auto& [key, text] :
       {std::pair{"reason", &status.reason}, std::pair{"advice", &status.advice},
        std::pair{"profiler", &status.profiler}, std::pair{"kernels", &status.kernels}}) {
    if (!text->empty()) json[key] = *text;
  }
  if (status.seconds) json["seconds"] = *status.seconds;
  if (!status.cached.empty()) json["cached"] = status.cached;
  for (const CollectorUsed& used : status.collectors) {
    Json& side = json["collectors"][used.side];
    side["by"] = to_string(used.by);
    if (!used.reason.empty()) side["reason"] = used.reason;
    if (used.passes > 0) side["passes"] = used.passes;
  }
  return json;
}

MetricsStatus read_metrics_status(const Json& json) {
  const auto state = value_in(kMetricsStateNames, json.at("state").get<std::string>());
  if (!state) throw std::invalid_argument("unknown state of device metrics");
  MetricsStatus status{.state = *state,
                       .reason = json.value("reason", ""),
                       .advice = json.value("advice", ""),
                       .profiler = json.value("profiler", "")};
  if (json.contains("seconds")) status.seconds = json.at("seconds");
  if (json.contains("cached")) status.cached = json.at("cached");
  status.kernels = json.value("kernels", "");
  if (const auto sides = json.find("collectors"); sides != json.end()) {
    for (const auto& [side, used] : sides->items()) {
      const auto by = value_in(kMetricsCollectorNames, used.at("by").get<std::string>());
      if (!by) throw std::invalid_argument("unknown collector of device metrics");
      status.collectors.push_back({.side = side,
                                   .by = *by,
                                   .reason = used.value("reason", ""),
                                   .passes = used.value("passes", std::size_t{0})});
    }
  }
  return status;
}

Json sanitizers_json(const SanitizerStatus& status) {
  Json json = {{"state", to_string(status.state)}};
  for (const auto& [key, text] : {std::pair{"by", &status.by}, std::pair{"reason", &status.reason},
                                  std::pair{"advice", &status.advice}}) {
    if (!text->empty()) json[key] = *text;
  }
  if (status.seconds) json["seconds"] = *status.seconds;
  return json;
}

SanitizerStatus read_sanitizers(const Json& json) {
  const auto state = value_in(kSanitizerStateNames, json.at("state").get<std::string>());
  if (!state) throw std::invalid_argument("unknown state of sanitizers");
  SanitizerStatus status{.state = *state,
                         .by = json.value("by", ""),
                         .reason = json.value("reason", ""),
                         .advice = json.value("advice", "")};
  if (json.contains("seconds")) status.seconds = json.at("seconds");
  return status;
}

Json metrics_json(const DeviceMetrics& metrics) {
  Json json = Json::object();
  if (metrics.original) json["original_device_metrics"] = call_json(*metrics.original);
  if (metrics.custom) json["custom_device_metrics"] = call_json(*metrics.custom);
  for (const MetricChange& change : metrics.changes) {
    json["changes"][change.group][change.key] = {{"original", change.original},
                                                 {"custom", change.custom}};
  }
  return json;
}

DeviceMetrics read_metrics(const Json& json) {
  DeviceMetrics metrics;
  if (const auto call = json.find("original_device_metrics"); call != json.end()) {
    metrics.original = read_call_metrics(*call);
  }
  if (const auto call = json.find("custom_device_metrics"); call != json.end()) {
    metrics.custom = read_call_metrics(*call);
  }
  if (const auto groups = json.find("changes"); groups != json.end()) {
    for (const auto& [group, keys] : groups->items()) {
      for (const auto& [key, change] : keys.items()) {
        metrics.changes.push_back({.group = group,
                                   .key = key,
                                   .original = change.at("original"),
                                   .custom = change.at("custom")});
      }
    }
  }
  return metrics;
}

}  // namespace assay::wire
