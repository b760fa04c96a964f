#pragma once

// Private to wire: what both kinds of runner are told of timed rounds.

#include "model/runner_protocol.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

[[nodiscard]] Json arm_json(const ArmCommand& command);
[[nodiscard]] Json round_json(const RoundCommand& command);
[[nodiscard]] Json host_time_json(const HostTimeCommand& command);
[[nodiscard]] Json trace_json(const TraceCommand& command);
[[nodiscard]] Json rounded_json(const Rounded& reply);
[[nodiscard]] Json traced_json(const Traced& reply);

// These throw what the JSON library throws; their callers catch.
[[nodiscard]] ArmCommand read_arm(const Json& json);
[[nodiscard]] RoundCommand read_round(const Json& json);
[[nodiscard]] Rounded read_rounded(const Json& json);
[[nodiscard]] Traced read_traced(const Json& json);

}  // namespace assay::wire
