#include "wire/round_json.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/names.hpp"
#include "model/runner_protocol.hpp"
#include "wire/fields.hpp"
#include "wire/outcome_json.hpp"

namespace assay::wire {

Json arm_json(const ArmCommand& command) {
  Json inputs = Json::array();
  for (const ArmedInput& input : command.inputs) {
    inputs.push_back({input.from, input.to, input.size, to_string(input.how), input.gentle});
  }
  Json blanks = Json::array();
  for (const ArenaPoison& blank : command.blanks) blanks.push_back({blank.offset, blank.size});
  Json outputs = Json::array();
  for (const ArmedOutput& output : command.outputs) {
    outputs.push_back({output.offset, output.size, output.element_size});
  }
  return {{"op", "arm"},
          {"image_size", command.image_size},
          {"ledger_size", command.ledger_size},
          {"sweep_size", command.sweep_size},
          {"vault_size", command.vault_size},
          {"sweeps", command.sweeps},
          {"graph", command.graph},
          {"inputs", std::move(inputs)},
          {"blanks", std::move(blanks)},
          {"outputs", std::move(outputs)}};
}

Json round_json(const RoundCommand& command) {
  return {{"op", "round"},
          {"number", command.number},
          {"calls", command.calls},
          {"held", command.held},
          {"events", command.events}};
}

Json host_time_json(const HostTimeCommand& command) {
  return {{"op", "host_time"}, {"calls", command.calls}};
}

Json trace_json(const TraceCommand& command) {
  Json json = round_json(command.round);
  json["op"] = "trace";
  return json;
}

Json rounded_json(const Rounded& reply) {
  return {{"reply", "rounded"},
          {"event_ns", reply.event_ns},
          {"event_overhead_ns", reply.event_overhead_ns},
          {"queue_ns", reply.queue_ns},
          {"launch_ns", reply.launch_ns}};
}

Json traced_json(const Traced& reply) {
  Json json = {{"reply", "traced"}, {"missing", reply.missing}};
  if (reply.missing.empty()) json["time"] = kernel_time_json(reply.time);
  return json;
}

ArmCommand read_arm(const Json& json) {
  ArmCommand command{.image_size = json.at("image_size"),
                     .ledger_size = json.at("ledger_size"),
                     .sweep_size = json.at("sweep_size"),
                     .vault_size = json.at("vault_size"),
                     .sweeps = json.at("sweeps"),
                     .graph = json.at("graph")};
  for (const Json& input : json.at("inputs")) {
    const auto how = value_in(kInputVariationNames, input.at(3).get_ref<const std::string&>());
    if (!how) throw std::invalid_argument("unknown variation");
    command.inputs.push_back({.from = input.at(0),
                              .to = input.at(1),
                              .size = input.at(2),
                              .how = *how,
                              .gentle = input.at(4)});
  }
  for (const Json& blank : json.at("blanks")) {
    command.blanks.push_back({.offset = blank.at(0), .size = blank.at(1)});
  }
  for (const Json& output : json.at("outputs")) {
    command.outputs.push_back(
        {.offset = output.at(0), .size = output.at(1), .element_size = output.at(2)});
  }
  return command;
}

RoundCommand read_round(const Json& json) {
  return {.number = json.at("number"),
          .calls = json.at("calls"),
          .held = json.at("held"),
          .events = json.at("events")};
}

Rounded read_rounded(const Json& json) {
  return {.event_ns = json.at("event_ns").get<std::vector<double>>(),
          .event_overhead_ns = json.at("event_overhead_ns"),
          .queue_ns = json.at("queue_ns").get<std::vector<double>>(),
          .launch_ns = json.at("launch_ns")};
}

Traced read_traced(const Json& json) {
  Traced traced{.time = {}, .missing = json.at("missing")};
  if (traced.missing.empty()) traced.time = read_kernel_time(json.at("time"));
  return traced;
}

}  // namespace assay::wire
