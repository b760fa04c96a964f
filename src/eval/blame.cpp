#include "eval/blame.hpp"

#include <csignal>
#include <expected>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "eval/runner.hpp"
#include "model/extension.hpp"
#include "model/verdict.hpp"

namespace assay::eval {

std::unexpected<Setback> Blame::candidate(Setback setback) {
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
  auto mine = candidate(std::move(setback));
  if (auto* fate = std::get_if<Fate>(&mine.error())) {
    fate->verdict = as_reference_failure(fate->verdict);
  }
  if (auto* needed = std::get_if<ExtensionsNeeded>(&mine.error())) needed->for_reference = true;
  return mine;
}

}  // namespace assay::eval
