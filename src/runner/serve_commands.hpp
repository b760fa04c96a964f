#pragma once

#include <chrono>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/unique_fd.hpp"
#include "model/runner_protocol.hpp"
#include "process/frame_channel.hpp"
#include "wire/runner_messages.hpp"

namespace assay::runner {

inline constexpr std::chrono::hours kForever{24 * 365};  // the worker decides how long we live

/// Answers commands until the worker closes the channel. Returns the process's exit code. `session`
/// answers each kind of command, and finds the descriptors that came along in `descriptors`.
template <class Session>
int serve_commands(process::FrameChannel& channel, Session& session,
                   std::vector<UniqueFd>& descriptors) {
  const SystemClock clock;
  while (true) {
    auto frame = channel.receive_frame(Deadline(clock, kForever));
    if (!frame) return frame.error().code() == ErrorCode::unavailable ? 0 : 1;
    descriptors = std::move(frame->descriptors);
    const auto command = wire::decode_command(frame->bytes);
    if (!command) return 1;
    const RunnerReply reply = std::visit(session, *command);
    if (!channel.send(wire::encode_reply(reply), Deadline(clock, kForever))) return 1;
  }
}

}  // namespace assay::runner
