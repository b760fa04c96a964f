#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "model/task.hpp"

namespace assay::eval {

/// Says how far a long evaluation has come, once a second at most: a short one says nothing.
class Progress {
 public:
  Progress() = default;  // says nothing
  /// `clock` outlives it.
  Progress(EvaluationListener listener, const Clock& clock)
      : listener_(std::move(listener)), clock_(&clock), last_(clock.now()) {}

  void say(std::string how_far) {
    constexpr std::chrono::seconds kBetween{1};
    if (clock_ == nullptr || clock_->now() - last_ < kBetween) return;
    last_ = clock_->now();
    listener_.progress({std::move(how_far)});
  }

 private:
  EvaluationListener listener_;
  const Clock* clock_ = nullptr;
  SteadyTime last_;
};

}  // namespace assay::eval
