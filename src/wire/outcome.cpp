#include "wire/outcome.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/artifact.hpp"
#include "model/device_metrics.hpp"
#include "model/finding.hpp"
#include "model/outcome.hpp"
#include "model/timing_summary.hpp"
#include "wire/fields.hpp"
#include "wire/json_text.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {
namespace {

double number_or_nan(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::optional<bool> read_hit(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::nullopt : std::optional(found->get<bool>());
}

Provenance read_provenance(const Json& json) {
  return {.device = {json.at("device")},
          .device_name = json.at("device_name"),
          .driver = json.value("driver", ""),
          .assay_version = json.at("assay_version"),
          .candidate_compiler = json.value("candidate_compiler", ""),
          .reference_compiler = json.value("reference_compiler", ""),
          .candidate_build_log = json.value("candidate_build_log", ""),
          .reference_build_log = json.value("reference_build_log", ""),
          .candidate_cache_hit = json.value("candidate_cache_hit", false),
          .reference_cache_hit = json.value("reference_cache_hit", false),
          .candidate_triton_cache_hit = read_hit(json, "candidate_triton_cache_hit"),
          .reference_triton_cache_hit = read_hit(json, "reference_triton_cache_hit"),
          .jail_missing = json.value("jail_missing", std::vector<std::string>()),
          .seed = std::stoull(json.at("seed").get<std::string>(), nullptr, 16)};
}

Json provenance_json(const Provenance& p) {
  Json json = {{"device", p.device.value},
               {"device_name", p.device_name},
               {"assay_version", p.assay_version},
               {"seed", fmt::format("{:016x}", p.seed)},
               {"candidate_cache_hit", p.candidate_cache_hit},
               {"reference_cache_hit", p.reference_cache_hit}};
  if (const auto hit = p.candidate_triton_cache_hit) json["candidate_triton_cache_hit"] = *hit;
  if (const auto hit = p.reference_triton_cache_hit) json["reference_triton_cache_hit"] = *hit;
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  if (!p.jail_missing.empty()) json["jail_missing"] = p.jail_missing;
  add("driver", p.driver);
  add("candidate_compiler", p.candidate_compiler);
  add("reference_compiler", p.reference_compiler);
  add("candidate_build_log", p.candidate_build_log);
  add("reference_build_log", p.reference_build_log);
  return json;
}

Json tolerance_json(const ToleranceUsed& t) {
  return {{"source", to_string(t.rule)},
          {"output", t.output},
          {"atol", t.atol},
          {"rtol", t.rtol},
          {"noise", t.noise},
          {"used", t.used},
          {"reference_in_float64", t.with_float64}};
}

ToleranceUsed read_tolerance(const Json& json) {
  return {.rule = value_in(kToleranceRuleNames, json.at("source").get<std::string>())
                      .value_or(ToleranceRule::measured),
          .output = json.at("output"),
          .atol = number_or_nan(json.at("atol")),
          .rtol = number_or_nan(json.at("rtol")),
          .noise = number_or_nan(json.at("noise")),
          .used = number_or_nan(json.at("used")),
          .with_float64 = json.at("reference_in_float64")};
}

Json warning_json(const Warning& warning) {
  Json json = {{"code", warning.code}, {"message", warning.message}};
  if (!warning.passes.empty()) json["passes"] = warning.passes;
  return json;
}

}  // namespace

Json outcome_json(const Outcome& outcome, bool with_samples) {
  Json json = verdict_json(outcome.verdict);
  json["provenance"] = provenance_json(outcome.provenance);
  if (!outcome.findings.empty()) {
    for (const Finding& finding : outcome.findings)
      json["findings"].push_back(finding_json(finding));
  }
  if (outcome.sanitizers) json["sanitizers"] = sanitizers_json(*outcome.sanitizers);
  if (outcome.check) {
    json["check"] = {{"rounds_passed", outcome.check->rounds_passed},
                     {"rounds_total", outcome.check->rounds_total},
                     {"max_difference", outcome.check->max_difference},
                     {"mean_difference", outcome.check->mean_difference}};
    if (outcome.check->tolerance)
      json["check"]["tolerance"] = tolerance_json(*outcome.check->tolerance);
    if (!outcome.check->inputs.empty()) json["check"]["inputs"] = outcome.check->inputs;
    if (outcome.check->made_on_device) json["check"]["inputs_made_on"] = "device";
    for (const WorkloadChecked& workload : outcome.check->workloads) {
      json["check"]["workloads"].push_back({{"name", workload.name},
                                            {"verdict", workload.verdict},
                                            {"rounds_passed", workload.rounds_passed},
                                            {"rounds_total", workload.rounds_total}});
    }
  }
  for (const Warning& warning : outcome.warnings) json["warnings"].push_back(warning_json(warning));
  if (outcome.candidate_timing) {
    json["candidate_timing"] = timing_json(*outcome.candidate_timing, with_samples);
  }
  if (outcome.reference_timing) {
    json["reference_timing"] = timing_json(*outcome.reference_timing, with_samples);
  }
  if (outcome.speed) json["speed"] = speed_json(*outcome.speed);
  if (outcome.candidate_resources) {
    json["candidate_resources"] = resources_json(*outcome.candidate_resources);
  }
  if (outcome.reference_resources) {
    json["reference_resources"] = resources_json(*outcome.reference_resources);
  }
  if (!outcome.next_step.empty()) json["next_step"] = outcome.next_step;
  for (const Artifact& artifact : outcome.artifacts) {
    json["artifacts"].push_back(artifact_json(artifact));
  }
  if (outcome.device_metrics) {
    json["device_metrics_status"] = metrics_status_json(outcome.device_metrics->status);
    if (outcome.device_metrics->custom || outcome.device_metrics->original) {
      json["device_metrics"] = metrics_json(*outcome.device_metrics);
    }
    if (!outcome.device_metrics->explanation.empty()) {
      json["explanation"] = outcome.device_metrics->explanation;
    }
  }
  return json;
}

Outcome read_outcome(const Json& json) {
  Outcome outcome{.verdict = read_verdict(json),
                  .provenance = read_provenance(json.at("provenance"))};
  if (const auto findings = json.find("findings"); findings != json.end()) {
    for (const Json& finding : *findings) outcome.findings.push_back(read_finding(finding));
  }
  if (const auto status = json.find("sanitizers"); status != json.end()) {
    outcome.sanitizers = read_sanitizers(*status);
  }
  if (const auto check = json.find("check"); check != json.end()) {
    outcome.check = CheckSummary{.rounds_passed = check->at("rounds_passed"),
                                 .rounds_total = check->at("rounds_total"),
                                 .max_difference = number_or_nan(check->at("max_difference")),
                                 .mean_difference = number_or_nan(check->at("mean_difference"))};
    if (const auto found = check->find("tolerance"); found != check->end()) {
      outcome.check->tolerance = read_tolerance(*found);
    }
    outcome.check->inputs = check->value("inputs", std::vector<std::string>());
    outcome.check->made_on_device = check->contains("inputs_made_on");
    for (const Json& workload : check->value("workloads", Json::array())) {
      outcome.check->workloads.push_back({.name = workload.at("name"),
                                          .verdict = workload.at("verdict"),
                                          .rounds_passed = workload.at("rounds_passed"),
                                          .rounds_total = workload.at("rounds_total")});
    }
  }
  if (const auto warnings = json.find("warnings"); warnings != json.end()) {
    for (const Json& warning : *warnings) {
      outcome.warnings.push_back({.code = warning.at("code"),
                                  .message = warning.at("message"),
                                  .passes = warning.value("passes", std::vector<std::string>())});
    }
  }
  if (const auto timing = json.find("candidate_timing"); timing != json.end()) {
    outcome.candidate_timing = read_timing(*timing);
  }
  if (const auto timing = json.find("reference_timing"); timing != json.end()) {
    outcome.reference_timing = read_timing(*timing);
  }
  if (const auto speed = json.find("speed"); speed != json.end()) {
    outcome.speed = read_speed(*speed);
  }
  if (const auto found = json.find("candidate_resources"); found != json.end()) {
    outcome.candidate_resources = read_resources(*found);
  }
  if (const auto found = json.find("reference_resources"); found != json.end()) {
    outcome.reference_resources = read_resources(*found);
  }
  outcome.next_step = json.value("next_step", "");
  if (const auto found = json.find("artifacts"); found != json.end()) {
    for (const Json& artifact : *found) outcome.artifacts.push_back(read_artifact(artifact));
  }
  if (const auto status = json.find("device_metrics_status"); status != json.end()) {
    const auto found = json.find("device_metrics");
    outcome.device_metrics = found == json.end() ? DeviceMetrics{} : read_metrics(*found);
    outcome.device_metrics->status = read_metrics_status(*status);
    outcome.device_metrics->explanation = json.value("explanation", "");
  }
  return outcome;
}

std::string encode_outcome(const Outcome& outcome, bool with_samples) {
  return dump(outcome_json(outcome, with_samples));
}

std::string encode_metrics(const DeviceMetrics& metrics) {
  return dump(metrics_json(metrics));
}

std::string encode_status(const MetricsStatus& status) {
  return dump(metrics_status_json(status));
}

std::string encode_status(const SanitizerStatus& status) {
  return dump(sanitizers_json(status));
}

Result<Outcome> decode_outcome(std::string_view text) {
  return read_guarded(ErrorCode::data_loss, "a stored outcome cannot be read", text, read_outcome);
}

}  // namespace assay::wire
