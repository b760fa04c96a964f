#include "eval/turns.hpp"

#include <expected>
#include <utility>

#include "base/error.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "model/verdict.hpp"

namespace assay::eval {

Turns::~Turns() {
  if (pair_.reference() != nullptr) pair_.reference()->resume();
  pair_.candidate().resume();
}

Attempt<void> Turns::turn_to(Contender& contender, bool& other_is_reference) {
  other_is_reference = &contender == &pair_.candidate();
  Contender* const other = other_is_reference ? pair_.reference() : &pair_.candidate();
  auto paused = other == nullptr ? Result<void>() : other->pause();
  if (!paused) {
    if (paused.error().code() != ErrorCode::deadline_exceeded) {
      return std::unexpected(std::move(paused).error());
    }
    return std::unexpected(
        Setback(Fate{Tampered{.rule = "pause",
                              .reason = "its processes cannot be stopped while the other kernel is "
                                        "timed"},
                     {}}));
  }
  contender.resume();
  return {};
}

}  // namespace assay::eval
