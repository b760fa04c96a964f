#include "wire/worker_messages.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/names.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "wire/extension_json.hpp"
#include "wire/fields.hpp"
#include "wire/json_text.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {
namespace {

constexpr std::array kCodes = {
    ErrorCode::invalid_argument,   ErrorCode::not_found,   ErrorCode::conflict,
    ErrorCode::resource_exhausted, ErrorCode::unavailable, ErrorCode::deadline_exceeded,
    ErrorCode::cancelled,          ErrorCode::data_loss,   ErrorCode::internal};

ErrorCode code_named(const std::string& name) {
  for (const ErrorCode code : kCodes) {
    if (to_string(code) == name) return code;
  }
  throw std::invalid_argument("unknown error code " + name);
}

Json built_json(const BuiltKernel& built) {
  Json extensions = Json::array();
  for (const std::filesystem::path& path : built.extensions) extensions.push_back(path.string());
  Json json = {{"module", built.module.string()},
               {"support_dir", built.support_dir.string()},
               {"entry", built.entry},
               {"compiler", built.compiler},
               {"log", built.log},
               {"extensions", std::move(extensions)},
               {"cache_hit", built.cache_hit},
               {"elapsed_ns", built.elapsed.count()}};
  if (built.spills) json["spills"] = spills_json(*built.spills);
  return json;
}

BuiltKernel read_built(const Json& json) {
  const auto extensions = json.at("extensions").get<std::vector<std::string>>();
  BuiltKernel built{.module = json.at("module").get<std::string>(),
                    .support_dir = json.at("support_dir").get<std::string>(),
                    .entry = json.at("entry"),
                    .compiler = json.at("compiler"),
                    .log = json.at("log"),
                    .extensions = {extensions.begin(), extensions.end()},
                    .cache_hit = json.at("cache_hit"),
                    .elapsed = std::chrono::nanoseconds(json.at("elapsed_ns").get<std::int64_t>())};
  if (json.contains("spills")) built.spills = read_spills(json.at("spills"));
  return built;
}

EvaluationTask read_task(const Json& json) {
  const auto form = value_in(kRequestFormNames, json.at("form").get<std::string>());
  if (!form) throw std::invalid_argument("unknown form of request");
  EvaluationTask task{.job = {json.at("job")},
                      .form = *form,
                      .body = json.at("body"),
                      .candidate = read_built(json.at("candidate")),
                      .budget = std::chrono::nanoseconds(json.at("budget_ns").get<std::int64_t>())};
  if (json.contains("reference")) task.reference = read_built(json.at("reference"));
  return task;
}

Json task_json(const EvaluationTask& task) {
  Json json = {{"job", task.job.value},
               {"form", to_string(task.form)},
               {"body", task.body},
               {"candidate", built_json(task.candidate)},
               {"budget_ns", task.budget.count()}};
  if (task.reference) json["reference"] = built_json(*task.reference);
  return json;
}

WorkerOrder read_order(const Json& json) {
  if (json.contains("stop")) return StopTask{};
  return read_task(json.at("task"));
}

struct EventJson {
  Json operator()(TaskBegun /*event*/) const { return {{"begun", true}}; }
  Json operator()(JobStep step) const { return {{"step", to_string(step)}}; }
  Json operator()(const TaskProgress& progress) const { return {{"progress", progress.detail}}; }
  Json operator()(const Outcome& outcome) const {
    return {{"outcome", outcome_json(outcome, /*with_samples=*/true)}};
  }
  Json operator()(const ExtensionsNeeded& needed) const {
    return {
        {"needs", {{"calls", calls_json(needed.calls)}, {"for_reference", needed.for_reference}}}};
  }
  Json operator()(const Error& error) const {
    return {{"error", {{"code", to_string(error.code())}, {"message", error.message()}}}};
  }
};

WorkerEvent read_event(const Json& json) {
  if (json.contains("begun")) return TaskBegun{};
  if (const auto step = json.find("step"); step != json.end()) {
    const auto known = value_in(kJobStepNames, step->get<std::string>());
    if (!known) throw std::invalid_argument("unknown step");
    return *known;
  }
  if (const auto progress = json.find("progress"); progress != json.end()) {
    return TaskProgress{progress->get<std::string>()};
  }
  if (const auto error = json.find("error"); error != json.end()) {
    return Error(code_named(error->at("code")), error->at("message"));
  }
  if (const auto needs = json.find("needs"); needs != json.end()) {
    return ExtensionsNeeded{.calls = read_calls(needs->at("calls")),
                            .for_reference = needs->at("for_reference")};
  }
  return read_outcome(json.at("outcome"));
}

}  // namespace

std::string encode_order(const WorkerOrder& order) {
  const auto* task = std::get_if<EvaluationTask>(&order);
  return dump(task == nullptr ? Json{{"stop", true}} : Json{{"task", task_json(*task)}});
}

Result<WorkerOrder> decode_order(std::string_view text) {
  return read_guarded(ErrorCode::data_loss, "an order for a worker", text, read_order);
}

std::string encode_event(const WorkerEvent& event) {
  return dump(std::visit(EventJson{}, event));
}

Result<WorkerEvent> decode_event(std::string_view text) {
  return read_guarded(ErrorCode::data_loss, "a worker's event", text, read_event);
}

}  // namespace assay::wire
