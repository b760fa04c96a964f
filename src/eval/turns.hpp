#pragma once

#include "eval/contender.hpp"
#include "eval/pair.hpp"
#include "eval/runner.hpp"

namespace assay::eval {

/// Lets only one kernel of a pair run at a time, while it is timed. Both go on when this object
/// ends, however timing ends.
class Turns {
 public:
  explicit Turns(Pair& pair) : pair_(pair) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  Turns(Turns&&) = delete;
  Turns& operator=(Turns&&) = delete;
  ~Turns();

  /// The other kernel stands still from here on. If it cannot be stopped, its Fate comes back.
  /// `other_is_reference` says whose Fate it is.
  [[nodiscard]] Attempt<void> turn_to(Contender& contender, bool& other_is_reference);
  /// Both stand still from here on, until it is somebody's turn again.
  [[nodiscard]] Attempt<void> turn_to_nobody(bool& stopped_is_reference);

 private:
  Pair& pair_;
};

}  // namespace assay::eval
