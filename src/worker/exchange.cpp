#include "worker/exchange.hpp"

#include <expected>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "eval/runner.hpp"
#include "model/verdict.hpp"
#include "process/exit_status.hpp"
#include "worker/runner_output.hpp"

namespace assay::worker {

std::unexpected<eval::Setback> tampered(std::string reason) {
  return eval::tampered("protocol", std::move(reason));
}

Verdict verdict_of(const process::ExitStatus& status, const RunnerOutput& output) {
  if (const auto* memory = std::get_if<process::OverMemory>(&status)) {
    return OutOfMemory{
        fmt::format("the kernel needed more than {} MiB of memory", memory->limit_bytes >> 20U)};
  }
  if (const auto* exited = std::get_if<process::Exited>(&status)) {
    return Crashed{
        .reason = fmt::format("the kernel ended its process with exit code {}", exited->code),
        .output = output.tail()};
  }
  return Crashed{.reason = process::describe(status),
                 .output = output.tail(),
                 .signal = std::get<process::Signalled>(status).signal};
}

}  // namespace assay::worker
