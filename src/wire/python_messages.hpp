#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/python_protocol.hpp"

namespace assay::wire {

[[nodiscard]] std::string encode_command(const PythonCommand& command);

/// The text comes from a process that runs submitted code: anything may be in it. Fails with
/// `invalid_argument` for all that is not a reply.
[[nodiscard]] Result<PythonReply> decode_python_reply(std::string_view text);

}  // namespace assay::wire
