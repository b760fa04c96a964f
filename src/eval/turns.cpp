#include "eval/turns.hpp"

#include "base/result.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"

namespace assay::eval {
namespace {

constexpr const char* kMeanwhile = "while what stands around its calls is timed";

}  // namespace

Turns::~Turns() {
  if (pair_.reference() != nullptr) pair_.reference()->resume();
  pair_.candidate().resume();
}

Attempt<void> Turns::turn_to(Contender& contender, bool& other_is_reference) {
  other_is_reference = &contender == &pair_.candidate();
  Contender* const other = other_is_reference ? pair_.reference() : &pair_.candidate();
  auto paused = stopped(other == nullptr ? Result<void>() : other->pause(),
                        "while the other kernel is timed");
  if (!paused) return paused;
  contender.resume();
  return {};
}

Attempt<void> Turns::turn_to_nobody(bool& stopped_is_reference) {
  Contender* const reference = pair_.reference();
  stopped_is_reference = reference != nullptr;
  auto paused = stopped(reference == nullptr ? Result<void>() : reference->pause(), kMeanwhile);
  if (!paused) return paused;
  stopped_is_reference = false;
  return stopped(pair_.candidate().pause(), kMeanwhile);
}

}  // namespace assay::eval
