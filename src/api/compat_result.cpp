#include "api/compat_result.hpp"

#include <chrono>
#include <cstdlib>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/answers.hpp"
#include "api/context.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/timing_summary.hpp"
#include "model/verdict.hpp"
#include "wire/outcome.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

using wire::Value;

constexpr double kNanosecondsPerMillisecond = 1e6;

double milliseconds(double nanoseconds) {
  return nanoseconds / kNanosecondsPerMillisecond;
}

Value::Members runtime_stats(const Statistics& s) {
  return {{"mean", milliseconds(s.mean)},
          {"std", milliseconds(s.std)},
          {"min", milliseconds(s.min)},
          {"max", milliseconds(s.max)},
          {"median", milliseconds(s.median)},
          {"percentile_95", milliseconds(s.percentile_95)},
          {"percentile_99", milliseconds(s.percentile_99)}};
}

bool has_compiled(const Verdict& verdict) {
  return !std::holds_alternative<DidNotCompile>(verdict) &&
         !std::holds_alternative<Unsupported>(verdict);
}

Value::Members kernel_metadata(const Outcome& outcome) {
  // The device number is the compatible API's; "cpu" has none and is called 0.
  const std::string& device = outcome.provenance.device.value;
  const auto colon = device.find(':');
  const int index = colon == std::string::npos ? 0 : std::atoi(device.c_str() + colon + 1);
  Value::Members metadata = {{"gpu_id", index}, {"device", device}};
  if (outcome.candidate_timing) {
    metadata.emplace_back("num_trials", outcome.candidate_timing->samples.size());
    metadata.emplace_back("profiling_method", outcome.candidate_timing->method);
  }
  if (!outcome.provenance.device_name.empty()) {
    metadata.emplace_back("hardware", outcome.provenance.device_name);
  }
  if (outcome.sanitizers) {
    metadata.emplace_back("sanitizers", Value::raw(wire::encode_status(*outcome.sanitizers)));
  }
  if (const auto& metrics = outcome.device_metrics) {
    metadata.emplace_back("device_metrics_status",
                          Value::raw(wire::encode_status(metrics->status)));
    if (metrics->custom || metrics->original) {
      metadata.emplace_back("device_metrics", Value::raw(wire::encode_metrics(*metrics)));
    }
    if (!metrics->explanation.empty()) {
      metadata.emplace_back("explanation", metrics->explanation);
    }
  }
  return metadata;
}

/// On a GPU the device time: the mean holds what other processes did meanwhile. On `cpu` the mean,
/// as clients know it.
double headline_of(const TimingSummary& timing) {
  const bool on_cpu = timing.method.starts_with("cpu");
  return timing.device_time && !on_cpu ? timing.device_time->ns : timing.statistics.mean;
}

Value::Members execution_result(const Outcome& outcome) {
  const bool accepted = std::holds_alternative<Accepted>(outcome.verdict);
  Value::Members result = {{"compiled", has_compiled(outcome.verdict)}, {"correctness", accepted}};
  const auto& timing = outcome.candidate_timing;
  result.emplace_back("runtime", timing ? milliseconds(headline_of(*timing)) : 0.0);
  result.emplace_back("metadata", kernel_metadata(outcome));
  if (timing) result.emplace_back("runtime_stats", runtime_stats(timing->statistics));
  if (!has_compiled(outcome.verdict)) {
    result.emplace_back("compilation_error", reason_of(outcome.verdict));
  } else if (!accepted) {
    result.emplace_back("validation_error", reason_of(outcome.verdict));
  }
  return result;
}

Value::Elements warnings_of(const Outcome& outcome) {
  Value::Elements warnings;
  for (const Warning& warning : outcome.warnings) {
    Value::Members told = {{"code", warning.code}, {"message", warning.message}};
    if (!warning.passes.empty()) {
      told.emplace_back("passes", Value::Elements(warning.passes.begin(), warning.passes.end()));
    }
    warnings.emplace_back(std::move(told));
  }
  return warnings;
}

bool is_comparison(const Job& job, const Outcome& outcome) {
  return job.form == RequestForm::compare || outcome.reference_timing.has_value();
}

http::Response success(const Job& job, const Outcome& outcome, const HostInfo& host) {
  Value::Members body = {{"job_id", job.id.value},
                         {"kernel_exec_result", execution_result(outcome)}};
  if (is_comparison(job, outcome)) {
    body.emplace_back("ref_runtime",
                      runtime_stats(outcome.reference_timing ? outcome.reference_timing->statistics
                                                             : Statistics{}));
  }
  body.emplace_back("pod_name", host.name);
  body.emplace_back("pod_ip", host.ip);
  body.emplace_back("status", "success");
  if (!host.gpu_type.empty()) body.emplace_back("gpu_type", host.gpu_type);
  body.emplace_back("verdict", name_of(outcome.verdict));
  if (auto reason = reason_of(outcome.verdict); !reason.empty()) {
    body.emplace_back("reason", std::move(reason));
  }
  if (!outcome.warnings.empty()) body.emplace_back("warnings", warnings_of(outcome));
  if (outcome.speed) {
    body.emplace_back("speedup", outcome.speed->speedup);
    if (const auto& interval = outcome.speed->interval_95) {
      body.emplace_back("speedup_ci95", Value::Elements{interval->low, interval->high});
    }
    body.emplace_back("speed_verdict", to_string(outcome.speed->verdict));
  }
  http::Response response = http::Response::json(200, Value(std::move(body)).dump());
  add_compat_headers(response, host);
  return response;
}

/// What a finished job came to, or the reason why clients of the compatible API are told that it
/// failed.
std::expected<Outcome, std::string> end_of(const Job& job) {
  if (job.error) return std::unexpected(job.error->message());
  if (job.state == JobState::cancelled || !job.result) return std::unexpected("Job was cancelled");
  auto outcome = wire::decode_outcome(*job.result);
  if (!outcome) return std::unexpected(outcome.error().message());
  if (std::holds_alternative<TimedOut>(outcome->verdict)) {
    return std::unexpected(reason_of(outcome->verdict));
  }
  return *std::move(outcome);
}

http::Response answer_with(const std::expected<Outcome, std::string>& end, const Job& job,
                           const HostInfo& host) {
  return end ? success(job, *end, host) : compat_server_error(host, 500, end.error(), job.id.value);
}

}  // namespace

http::Response compat_result(const Job& job, const HostInfo& host) {
  return answer_with(end_of(job), job, host);
}

http::Response compat_job(const Job& job, const HostInfo& host) {
  std::optional<std::expected<Outcome, std::string>> end;
  if (is_final(job.state)) end = end_of(job);
  const bool failed = end && !*end;
  const auto since_epoch = job.created.time_since_epoch();
  Value::Members body = {{"job_id", job.id.value},
                         {"status", compat_status(failed ? JobState::failed : job.state)},
                         {"created_at", std::chrono::duration<double>(since_epoch).count()},
                         {"error", failed ? Value(end->error()) : Value()}};
  if (end) body.emplace_back("result", Value::raw(answer_with(*end, job, host).body));
  return http::Response::json(200, Value(std::move(body)).dump());
}

std::string_view compat_status(JobState state) {
  switch (state) {
    case JobState::queued:
      return "submitted";
    case JobState::building:
      return "compiling";
    case JobState::waiting:
      return "waiting";
    case JobState::checking:
      return "validating";
    case JobState::timing:
    case JobState::profiling:
      return "profiling";
    case JobState::done:
      return "completed";
    case JobState::failed:
    case JobState::cancelled:
      return "failed";
  }
  std::unreachable();
}

}  // namespace assay::api
