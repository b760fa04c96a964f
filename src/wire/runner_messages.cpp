#include "wire/runner_messages.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "wire/counted_json.hpp"
#include "wire/fields.hpp"
#include "wire/json_text.hpp"
#include "wire/outcome_json.hpp"
#include "wire/real_text.hpp"
#include "wire/reply_json.hpp"
#include "wire/round_json.hpp"

namespace assay::wire {
namespace {

Json dim_json(const Dim3& dim) {
  return {dim.x, dim.y, dim.z};
}

Dim3 read_dim(const Json& json) {
  return {json.at(0), json.at(1), json.at(2)};
}

struct ArgJson {
  Json operator()(const ArenaPart& part) const {
    return {{"name", part.name},
            {"offset", part.offset},
            {"size", part.size},
            {"element_size", part.element_size},
            {"initialised", part.initialised}};
  }
  Json operator()(const ScalarArg& scalar) const {
    if (const auto* real = std::get_if<double>(&scalar)) {
      return {{"real", real_text(*real)}};
    }
    return std::visit([](const auto& value) { return Json{{"scalar", value}}; }, scalar);
  }
};

std::variant<ArenaPart, ScalarArg> read_arg(const Json& json) {
  if (const auto real = json.find("real"); real != json.end()) {
    return ScalarArg(read_real(real->get_ref<const std::string&>()));
  }
  const auto scalar = json.find("scalar");
  if (scalar == json.end()) {
    return ArenaPart{.name = json.at("name"),
                     .offset = json.at("offset"),
                     .size = json.at("size"),
                     .element_size = json.at("element_size"),
                     .initialised = json.at("initialised")};
  }
  if (scalar->is_boolean()) return ScalarArg(scalar->get<bool>());
  if (scalar->is_number_integer()) return ScalarArg(scalar->get<std::int64_t>());
  return ScalarArg(scalar->get<std::string>());
}

Json plan_json(const LaunchPlan& plan) {
  Json args = Json::array();
  for (const auto& arg : plan.args) args.push_back(std::visit(ArgJson{}, arg));
  Json restores = Json::array();
  for (const ArenaCopy& copy : plan.restores) restores.push_back({copy.from, copy.to, copy.size});
  Json poisons = Json::array();
  for (const ArenaPoison& poison : plan.poisons) poisons.push_back({poison.offset, poison.size});
  return {{"grid", dim_json(plan.grid)},
          {"block", dim_json(plan.block)},
          {"shared", plan.shared_mem_bytes},
          {"cooperative", plan.cooperative},
          {"cluster", plan.cluster ? dim_json(*plan.cluster) : Json()},
          {"args", std::move(args)},
          {"restores", std::move(restores)},
          {"poisons", std::move(poisons)},
          {"sanitize",
           {plan.sanitize.memory, plan.sanitize.race, plan.sanitize.init, plan.sanitize.sync}},
          {"schedule_seed", plan.schedule_seed}};
}

LaunchPlan read_plan(const Json& json) {
  LaunchPlan plan{.grid = read_dim(json.at("grid")),
                  .block = read_dim(json.at("block")),
                  .shared_mem_bytes = json.at("shared"),
                  .cooperative = json.at("cooperative"),
                  .schedule_seed = json.at("schedule_seed")};
  if (const Json& cluster = json.at("cluster"); !cluster.is_null()) {
    plan.cluster = read_dim(cluster);
  }
  for (const Json& arg : json.at("args")) plan.args.push_back(read_arg(arg));
  for (const Json& copy : json.at("restores")) {
    plan.restores.push_back({.from = copy.at(0), .to = copy.at(1), .size = copy.at(2)});
  }
  for (const Json& poison : json.at("poisons")) {
    plan.poisons.push_back({.offset = poison.at(0), .size = poison.at(1)});
  }
  const Json& sanitize = json.at("sanitize");
  plan.sanitize = {.memory = sanitize.at(0),
                   .race = sanitize.at(1),
                   .init = sanitize.at(2),
                   .sync = sanitize.at(3)};
  return plan;
}

struct RunnerCommandJson {
  Json operator()(const LoadCommand& c) const { return {{"op", "load"}, {"entry", c.entry}}; }
  Json operator()(const BindCommand& c) const {
    return {{"op", "bind"}, {"plan", plan_json(c.plan)}, {"arena_size", c.arena_size}};
  }
  Json operator()(const RunCommand&) const { return {{"op", "run"}}; }
  Json operator()(const WarmCommand& c) const { return {{"op", "warm"}, {"calls", c.calls}}; }
  Json operator()(const TimeCommand& c) const { return {{"op", "time"}, {"samples", c.samples}}; }
  Json operator()(const ArmCommand& c) const { return arm_json(c); }
  Json operator()(const RoundCommand& c) const { return round_json(c); }
  Json operator()(const HostTimeCommand& c) const { return host_time_json(c); }
  Json operator()(const TraceCommand& c) const { return trace_json(c); }
  Json operator()(const ProfileCommand& c) const { return {{"op", "profile"}, {"range", c.range}}; }
  Json operator()(const CountCommand& c) const {
    return {{"op", "count"}, {"cupti", c.cupti}, {"metrics", c.metrics}};
  }
};

RunnerCommand read_command(const Json& json) {
  const std::string op = json.at("op");
  if (op == "load") return LoadCommand{json.at("entry")};
  if (op == "bind") return BindCommand{read_plan(json.at("plan")), json.at("arena_size")};
  if (op == "warm") return WarmCommand{json.at("calls")};
  if (op == "time") return TimeCommand{json.at("samples")};
  if (op == "arm") return read_arm(json);
  if (op == "round") return read_round(json);
  if (op == "host_time") return HostTimeCommand{json.at("calls")};
  if (op == "trace") return TraceCommand{read_round(json)};
  if (op == "profile") return ProfileCommand{json.at("range")};
  if (op == "count") return CountCommand{json.at("cupti"), json.at("metrics")};
  return RunCommand{};
}

/// Neither that a kernel is right, nor that somebody else is at fault, nor what only the worker
/// measures.
bool concerns_kernel_alone(const Verdict& verdict) {
  return !std::holds_alternative<Accepted>(verdict) &&
         !std::holds_alternative<ReferenceFailed>(verdict) &&
         !std::holds_alternative<WeakCheck>(verdict) &&
         !std::holds_alternative<TimedOut>(verdict) &&
         !std::holds_alternative<ImpossibleTime>(verdict);
}

struct ReplyJson {
  Json operator()(const Done&) const { return {{"reply", "done"}}; }
  Json operator()(const Bound& r) const {
    Json json = {{"reply", "bound"}};
    if (r.resources) json["resources"] = resources_json(*r.resources);
    return json;
  }
  Json operator()(const Samples& r) const { return {{"reply", "samples"}, {"ns", r.ns}}; }
  Json operator()(const Rounded& r) const { return rounded_json(r); }
  Json operator()(const Traced& r) const { return traced_json(r); }
  Json operator()(const Counted& r) const { return counted_json(r); }
  Json operator()(const Refused& r) const {
    Json findings = Json::array();
    for (const Finding& finding : r.findings) findings.push_back(finding_json(finding));
    return {{"reply", "refused"}, {"verdict", verdict_json(r.verdict)}, {"findings", findings}};
  }
};

}  // namespace

RunnerReply read_reply(const Json& json) {
  const std::string kind = json.at("reply");
  if (kind == "done") return Done{};
  if (kind == "bound") {
    Bound bound;
    if (json.contains("resources")) bound.resources = read_resources(json.at("resources"));
    return bound;
  }
  if (kind == "samples") {
    Samples samples{.ns = json.at("ns").get<std::vector<double>>()};
    if (json.contains("fingerprint")) {
      samples.fingerprint = json.at("fingerprint").get_ref<const std::uint64_t&>();
    }
    return samples;
  }
  if (kind == "rounded") return read_rounded(json);
  if (kind == "traced") return read_traced(json);
  if (kind == "counted") return read_counted(json);
  if (kind != "refused") throw std::invalid_argument("unknown kind of reply");
  Refused refused{.verdict = read_verdict(json.at("verdict")), .findings = {}};
  if (!concerns_kernel_alone(refused.verdict)) {
    throw std::invalid_argument("a runner cannot judge more than its own failure");
  }
  for (const Json& finding : json.at("findings")) refused.findings.push_back(read_finding(finding));
  return refused;
}

std::string encode_command(const RunnerCommand& command) {
  return dump(std::visit(RunnerCommandJson{}, command));
}

Result<RunnerCommand> decode_command(std::string_view text) {
  return read_guarded(ErrorCode::invalid_argument, "a command for a runner", text, read_command);
}

std::string encode_reply(const RunnerReply& reply) {
  return dump(std::visit(ReplyJson{}, reply));
}

Result<RunnerReply> decode_reply(std::string_view text) {
  return read_guarded(ErrorCode::invalid_argument, "a runner's reply", text, read_reply);
}

}  // namespace assay::wire
