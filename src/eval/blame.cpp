#include "eval/blame.hpp"

#include <csignal>
#include <expected>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/error.hpp"
#include "eval/memory_shares.hpp"
#include "eval/runner.hpp"
#include "model/extension.hpp"
#include "model/verdict.hpp"

namespace assay::eval {

std::optional<Fate> Blame::out_of_memory(const Setback& setback) const {
  const auto* error = std::get_if<Error>(&setback);
  if (error == nullptr || error->code() != ErrorCode::resource_exhausted) return std::nullopt;
  const auto holder = memory_.to_blame();
  if (!holder) return std::nullopt;
  const OutOfMemory verdict{
      fmt::format("the kernel holds {} MiB of the device's memory, and not enough is left for its "
                  "inputs and outputs ({})",
                  holder->bytes >> 20U, error->message())};
  return Fate{holder->whose == Whose::reference ? as_reference_failure(verdict) : Verdict(verdict),
              {}};
}

std::optional<Fate> Blame::candidate_took_all(const std::string& why) const {
  const auto bytes = memory_.hoarded_by_candidate();
  if (!bytes) return std::nullopt;
  return Fate{OutOfMemory{fmt::format("the kernel holds {} MiB of the device's memory, and not "
                                      "enough is left to time it ({})",
                                      *bytes >> 20U, why)},
              {}};
}

std::unexpected<Setback> Blame::candidate(Setback setback) {
  if (auto fate = out_of_memory(setback)) return std::unexpected(Setback(*std::move(fate)));
  if (const auto* fate = std::get_if<Fate>(&setback)) {
    const auto* crashed = std::get_if<Crashed>(&fate->verdict);
    was_killed_ = crashed != nullptr && crashed->signal == SIGKILL;
  }
  if (auto* error = std::get_if<Error>(&setback);
      error != nullptr && error->code() == ErrorCode::deadline_exceeded) {
    return std::unexpected(Setback(Fate{TimedOut{.limit = limit_, .phase = phase_}, {}}));
  }
  return std::unexpected(std::move(setback));
}

std::unexpected<Setback> Blame::reference(Setback setback) {
  if (auto fate = out_of_memory(setback)) return std::unexpected(Setback(*std::move(fate)));
  auto mine = candidate(std::move(setback));
  if (auto* fate = std::get_if<Fate>(&mine.error())) {
    fate->verdict = as_reference_failure(fate->verdict);
  }
  if (auto* needed = std::get_if<ExtensionsNeeded>(&mine.error())) needed->for_reference = true;
  return mine;
}

}  // namespace assay::eval
