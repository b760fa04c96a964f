#pragma once

// Private to wire. Throws what the JSON library throws; its callers catch.

#include "model/runner_protocol.hpp"
#include "wire/fields.hpp"

namespace assay::wire {

[[nodiscard]] RunnerReply read_reply(const Json& json);

}  // namespace assay::wire
