#include "wire/request.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "model/artifact.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "model/timing_mode.hpp"
#include "wire/contract.hpp"
#include "wire/decode_error.hpp"
#include "wire/fields.hpp"
#include "wire/json_mistake.hpp"
#include "wire/json_text.hpp"
#include "wire/metrics_request.hpp"
#include "wire/workloads.hpp"

namespace assay::wire {
namespace {

constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20U;

constexpr const char* kAutoTrials = "auto";
constexpr int kMaxWarmup = 10000;
constexpr int kMaxPriority = 100;
constexpr std::size_t kMaxName = 200;

OutOfBounds out_of_bounds(std::string field, std::string message, const Json& details) {
  FieldError error{.path = {std::move(field)}, .message = message, .type = "out_of_bounds"};
  return {.message = std::move(message), .details = details.dump(), .field = std::move(error)};
}

std::optional<OutOfBounds> check_common(const Request& request) {
  if (const auto trials = request.num_trials; trials && (*trials < 1 || *trials > kMaxTrials)) {
    return out_of_bounds(
        "num_trials", fmt::format("num_trials must be between 1 and {}, or \"auto\"", kMaxTrials),
        {{"num_trials", *trials}});
  }
  const auto timeout = request.timeout.count();
  if (timeout < kMinTimeoutSeconds || timeout > kMaxTimeoutSeconds) {
    return out_of_bounds("timeout",
                         fmt::format("timeout must be between {} and {} seconds",
                                     kMinTimeoutSeconds, kMaxTimeoutSeconds),
                         {{"timeout", timeout}});
  }
  const auto check_tolerance = [](std::string_view name,
                                  double value) -> std::optional<OutOfBounds> {
    if (std::isfinite(value) && value >= 0) return std::nullopt;
    return out_of_bounds(std::string(name),
                         fmt::format("{} must be a number that is not negative", name),
                         {{std::string(name), value}});
  };
  if (auto error = check_tolerance("atol", request.tolerance.atol)) return error;
  return check_tolerance("rtol", request.tolerance.rtol);
}

std::optional<OutOfBounds> check_kernel(const Kernel& kernel, std::string_view name) {
  Json details = {{"kernel_type", to_string(kernel.type)}};
  if (name != "kernel") details["kernel"] = name;  // of two
  // A Python module may launch its own kernels; a CUDA kernel cannot be called without its
  // arguments. Triton is decided by its text once it runs.
  if (kernel.type == KernelType::cuda && !kernel.io) {
    return out_of_bounds(std::string(name),
                         "a cuda kernel needs its io_contract: give `io` with args and launch",
                         details);
  }
  if (kernel.type == KernelType::triton && !kernel.io &&
      kernel.source.find("class ") == std::string::npos) {
    return out_of_bounds(
        std::string(name),
        "a bare triton kernel needs its io_contract: give `io` with args and launch", details);
  }
  if (kernel.source.size() > kMaxSourceBytes) {
    return out_of_bounds(std::string(name), "source_code may hold 1 MiB at most",
                         {{"source_bytes", kernel.source.size()}, {"kernel", name}});
  }
  return std::nullopt;
}

/// The keys under which a body has its kernels.
struct KernelKeys {
  std::string_view reference = "ref_kernel";
  std::string_view candidate = "kernel";
};

std::optional<OutOfBounds> check(const Request& request, const KernelKeys& keys) {
  if (auto error = check_common(request)) return error;
  if (request.reference) {
    if (auto error = check_kernel(*request.reference, keys.reference)) return error;
  }
  return check_kernel(request.candidate, keys.candidate);
}

int clamp_to_int(std::int64_t value) {
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : static_cast<int>(value);
}

void read_limits(const Object& body, Request& request) {
  if (const auto trials = body.find("num_trials"); trials && trials->value() == kAutoTrials) {
    request.num_trials.reset();
  } else if (const auto number = body.integer("num_trials")) {
    request.num_trials = clamp_to_int(*number);
  }
  if (const auto timeout = body.integer("timeout")) {
    request.timeout = std::chrono::seconds(clamp_to_int(*timeout));
  }
}

void read_tolerance(const Object& body, Request& request) {
  // An explicit null means the default, not "no tolerance".
  const auto atol = body.real("atol");
  const auto rtol = body.real("rtol");
  if (atol) request.tolerance.atol = *atol;
  if (rtol) request.tolerance.rtol = *rtol;
  if (atol || rtol) request.tolerance_rule = ToleranceRule::request;
}

/// How strictly answers are judged beside their tolerance.
void read_strictness(const Object& body, Request& request) {
  request.strict = body.boolean("strict").value_or(false);
  for (const std::string& name : body.strings("allow")) {
    if (name == "tf32") {
      request.allow.tf32 = true;
    } else if (name == "float16") {
      request.allow.float16 = true;
    } else if (name == "bfloat16") {
      request.allow.bfloat16 = true;
    } else if (name == "float8") {
      request.allow.float8 = true;
    } else {
      body.errors().add(body.path_of("allow"),
                        not_a("'tf32', 'float16', 'bfloat16' or 'float8'", name), "enum");
    }
  }
}

void read_required(const Object& body, Request& request) {
  for (const std::string& name : body.strings("require")) {
    if (name == "own_kernels") {
      request.require.own_kernels = true;
    } else {
      body.errors().add(body.path_of("require"), not_a("'own_kernels'", name), "enum");
    }
  }
}

std::optional<Kernel> required_kernel(const Object& body, std::string_view key, bool strict) {
  const auto field = body.require(key);
  return field ? read_kernel(*field, strict) : std::nullopt;
}

void read_sanitize(const Object& body, Sanitize& sanitize) {
  for (const std::string& name : body.strings("sanitize")) {
    if (name == "memory") {
      sanitize.memory = true;
    } else if (name == "race") {
      sanitize.race = true;
    } else if (name == "init") {
      sanitize.init = true;
    } else if (name == "sync") {
      sanitize.sync = true;
    } else {
      body.errors().add(body.path_of("sanitize"), not_a("'memory', 'race', 'init' or 'sync'", name),
                        "enum");
    }
  }
}

void want_sanitizers(const Object& body, Request& request) {
  read_sanitize(body, request.sanitize);
  request.candidate.instrumented = request.sanitize.any();
}

void read_legacy(const Object& body, Request& request) {
  request.keep_range = true;
  request.tolerance_rule = ToleranceRule::compatible;
  request.timeout = std::chrono::seconds(30);
  read_limits(body, request);
  Kernel reference{.source = body.string("ref_code").value_or(""), .type = KernelType::torch};
  request.reference = std::move(reference);
  request.candidate = {.source = body.string("custom_code").value_or(""),
                       .type = KernelType::torch_cuda};
  want_sanitizers(body, request);
}

void read_compare(const Object& body, Request& request) {
  read_device_metrics(body, request);
  if (body.find("ref_code") && body.find("custom_code")) return read_legacy(body, request);
  auto reference = required_kernel(body, "ref_kernel", false);
  auto candidate = required_kernel(body, "custom_kernel", false);
  read_limits(body, request);
  request.keep_range = true;
  request.tolerance_rule = ToleranceRule::compatible;
  read_tolerance(body, request);
  if (reference) request.reference = std::move(*reference);
  if (candidate) request.candidate = std::move(*candidate);
  want_sanitizers(body, request);
}

void read_evaluate(const Object& body, Request& request) {
  read_device_metrics(body, request);
  auto candidate = required_kernel(body, "kernel", false);
  read_limits(body, request);
  if (candidate) request.candidate = std::move(*candidate);
  want_sanitizers(body, request);
}

WantedArtifacts read_artifacts(const Object& body) {
  WantedArtifacts wanted;
  for (const std::string& name : body.strings("artifacts")) {
    if (name == "ptx") {
      wanted.ptx = true;
    } else if (name == "sass") {
      wanted.sass = true;
    } else {
      body.errors().add(body.path_of("artifacts"), not_a("'ptx' or 'sass'", name), "enum");
    }
  }
  return wanted;
}

/// Refused where there can be none, as `sanitize` is.
void want_artifacts(const Object& body, Request& request) {
  const WantedArtifacts wanted = read_artifacts(body);
  if (!wanted.any()) return;
  if (request.candidate.type != KernelType::cuda) {
    body.errors().add(body.path_of("artifacts"),
                      fmt::format("Artifacts are those of cuda kernels, not {}",
                                  to_string(request.candidate.type)),
                      "value_error");
  }
  if (request.device == "cpu") {
    body.errors().add(body.path_of("artifacts"), "Artifacts are made on GPUs, not on 'cpu'",
                      "value_error");
  }
  request.candidate.artifacts = wanted;
  if (request.reference && request.reference->type == KernelType::cuda) {
    request.reference->artifacts = wanted;
  }
}

/// The name under which the body has what may have several; the last where it has it not.
std::string_view only_name(const Object& body, std::initializer_list<std::string_view> names) {
  std::string_view found;
  for (const std::string_view name : names) {
    if (!body.find(name)) continue;
    if (found.empty()) {
      found = name;
    } else {
      body.errors().add(body.path_of(name),
                        fmt::format("It is given twice: '{}' is another name for it", found),
                        "value_error");
    }
  }
  return found.empty() ? *std::prev(names.end()) : found;
}

void read_timing_options(const Object& body, Request& request) {
  const auto field = body.find("timing");
  if (!field) return;
  const Object options(*field);
  options.allow_only({"mode", "threshold"});
  if (const auto mode = options.find("mode")) {
    request.timing.mode = mode->read_enum(kTimingModeNames);
  }
  if (const auto threshold = options.real("threshold")) {
    if (*threshold >= kLeastThreshold && *threshold <= kMostThreshold) {
      request.timing.threshold = *threshold;
    } else {
      options.errors().add(options.path_of("threshold"),
                           fmt::format("Input should be between {} and {}: with 0.02, times that "
                                       "differ by less than 2 % are called the same",
                                       kLeastThreshold, kMostThreshold),
                           "value_error");
    }
  }
}

KernelKeys read_job(const Object& body, Request& request) {
  body.allow_only({"kernel",     "ref_kernel", "custom_kernel", "reference",      "candidate",
                   "num_trials", "timeout",    "atol",          "rtol",           "rounds",
                   "warmup",     "seed",       "schedule_seed", "sanitize",       "artifacts",
                   "device",     "priority",   "timing",        "name",           "judge_speed",
                   "allow",      "strict",     "require",       "device_metrics", "explain",
                   "workloads"});
  const std::string_view candidate_key = only_name(body, {"kernel", "custom_kernel", "candidate"});
  if (auto kernel = required_kernel(body, candidate_key, true)) {
    request.candidate = std::move(*kernel);
  }
  const std::string_view reference_key = only_name(body, {"reference", "ref_kernel"});
  if (const auto field = body.find(reference_key)) {
    if (auto kernel = read_kernel(*field, true)) request.reference = std::move(*kernel);
  }
  read_limits(body, request);
  read_tolerance(body, request);
  read_strictness(body, request);
  read_required(body, request);
  const auto bounded = [&](std::string_view key, int low, int high, int& into) {
    const auto field = body.find(key);
    const auto value = field ? field->read_int_within(low, high) : std::nullopt;
    if (value) into = static_cast<int>(*value);
  };
  bounded("rounds", 1, kMaxRounds, request.rounds);
  bounded("warmup", 0, kMaxWarmup, request.warmup);
  bounded("priority", -kMaxPriority, kMaxPriority, request.priority);
  request.seed = body.bits("seed");
  request.schedule_seed = body.bits("schedule_seed");
  want_sanitizers(body, request);
  request.device = body.string("device");
  read_timing_options(body, request);
  request.name = body.string("name").value_or("");
  if (request.name.size() > kMaxName) {
    body.errors().add(body.path_of("name"), fmt::format("may have {} bytes at most", kMaxName),
                      "string_too_long");
  }
  request.judge_speed = body.boolean("judge_speed").value_or(false);
  read_device_metrics(body, request);
  want_artifacts(body, request);
  read_workloads(body, request);
  return {.reference = reference_key, .candidate = candidate_key};
}

}  // namespace

std::expected<Request, DecodeError> decode_request(RequestForm form, std::string_view body) {
  if (is_too_deep(body)) {
    return std::unexpected(NotAnObject{fmt::format(
        "the body is nested too deeply: {} brackets may stand in one another at most", kDeepest)});
  }
  const Json document = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    return std::unexpected(NotAnObject{"the body is not JSON: " + json_mistake(body)});
  }
  if (!document.is_object()) return std::unexpected(NotAnObject{"the body is not a JSON object"});
  Errors errors;
  const Object object(Field(document, {}, errors));
  Request request;
  KernelKeys keys;
  switch (form) {
    case RequestForm::evaluate:
      read_evaluate(object, request);
      break;
    case RequestForm::compare:
      read_compare(object, request);
      if (request.reference) keys.candidate = "custom_kernel";
      break;
    case RequestForm::job:
      keys = read_job(object, request);
      break;
  }
  if (!errors.empty()) return std::unexpected(InvalidFields{std::move(errors).take()});
  if (auto error = check(request, keys)) return std::unexpected(std::move(*error));
  return request;
}

}  // namespace assay::wire
