#pragma once

// One command and one reply between the worker and a runner, whatever the runner is written in.

#include <chrono>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "eval/runner.hpp"
#include "model/verdict.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "worker/runner_output.hpp"

namespace assay::worker {

/// The runner broke the protocol.
[[nodiscard]] std::unexpected<eval::Setback> tampered(std::string reason);

/// What became of a kernel whose process ended by itself.
[[nodiscard]] Verdict verdict_of(const process::ExitStatus& status, const RunnerOutput& output);

/// How long a runner that closed its channel may take to end. A busy machine needs half a second to
/// take a large one apart. A runner that goes on running on purpose only holds up itself.
inline constexpr std::chrono::seconds kTimeToDie{5};

/// What a failed exchange means. Only the channel's own deadline and stop are ours; everything
/// else is the doing of the process at the other end.
template <class Process>
[[nodiscard]] eval::Setback setback_of(Error error, Process& process, const RunnerOutput& output,
                                       const eval::Bounds& bounds) {
  switch (error.code()) {
    case ErrorCode::deadline_exceeded:
    case ErrorCode::cancelled:
      process.kill();
      return error;
    case ErrorCode::resource_exhausted:
    case ErrorCode::invalid_argument:
      return tampered(error.message()).error();
    default:
      break;
  }
  const SystemClock clock;
  const auto status = process.wait(bounds.stop, Deadline(clock, kTimeToDie));
  if (status) return eval::Fate{verdict_of(*status, output), {}};
  process.kill();
  if (status.error().code() != ErrorCode::deadline_exceeded) return status.error();
  return tampered("the kernel closed its runner's channel and went on running").error();
}

/// Sends a command and waits for the reply's text. If the process ends instead of answering, its
/// end decides the verdict.
template <class Process>
[[nodiscard]] eval::Attempt<std::string> exchange(Process& process, process::FrameChannel& channel,
                                                  const RunnerOutput& output,
                                                  std::string_view command,
                                                  std::span<const int> descriptors,
                                                  const eval::Bounds& bounds) {
  auto sent = channel.send(command, descriptors, bounds.deadline, bounds.stop);
  if (!sent) return std::unexpected(setback_of(std::move(sent).error(), process, output, bounds));
  auto text = channel.receive(bounds.deadline, bounds.stop);
  if (!text) return std::unexpected(setback_of(std::move(text).error(), process, output, bounds));
  return std::move(*text);
}

}  // namespace assay::worker
