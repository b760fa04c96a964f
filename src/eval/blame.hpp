#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <utility>

#include "eval/runner.hpp"

namespace assay::eval {

/// Says whose doing a setback is: the same end of a runner means one thing of the candidate and
/// another of the reference.
class Blame {
 public:
  explicit Blame(std::chrono::milliseconds limit) : limit_(limit) {}

  /// What a timeout will name from now on.
  void enter(std::string phase) { phase_ = std::move(phase); }
  /// A process was ended by SIGKILL, which may have come from anywhere.
  [[nodiscard]] bool was_killed() const { return was_killed_; }

  [[nodiscard]] std::unexpected<Setback> candidate(Setback setback);
  [[nodiscard]] std::unexpected<Setback> reference(Setback setback);

 private:
  std::chrono::milliseconds limit_;
  std::string phase_ = "checking";
  bool was_killed_ = false;
};

}  // namespace assay::eval
