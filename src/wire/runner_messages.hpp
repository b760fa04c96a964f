#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/runner_protocol.hpp"

namespace assay::wire {

[[nodiscard]] std::string encode_command(const RunnerCommand& command);
[[nodiscard]] Result<RunnerCommand> decode_command(std::string_view text);

[[nodiscard]] std::string encode_reply(const RunnerReply& reply);
/// The text comes from a process that runs submitted code: anything may be in it. Fails with
/// `invalid_argument` for all that is not a reply.
[[nodiscard]] Result<RunnerReply> decode_reply(std::string_view text);

}  // namespace assay::wire
