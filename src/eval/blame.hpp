#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "eval/memory_shares.hpp"
#include "eval/runner.hpp"

namespace assay::eval {

/// Says who is to blame for a setback. The same end of a runner means one thing for the candidate
/// and another for the reference.
class Blame {
 public:
  /// `device`, if given, outlives this: it tells who took its memory.
  explicit Blame(std::chrono::milliseconds limit, const RunnerSource* device = nullptr)
      : limit_(limit), memory_(device) {}

  /// Does a part of a kernel's own work. The memory of the device that it takes is charged to the
  /// kernel.
  template <class Work>
  auto during(Whose whose, const Work& work) {
    return memory_.during(whose, work);
  }

  /// The phase that a timeout will name from now on.
  void enter(std::string phase) { phase_ = std::move(phase); }
  /// A process was ended by SIGKILL, which may have come from anywhere.
  [[nodiscard]] bool was_killed() const { return was_killed_; }

  /// The verdict, if the candidate has taken so much memory that none is left for the clock.
  [[nodiscard]] std::optional<Fate> candidate_took_all(const std::string& why) const;

  [[nodiscard]] std::unexpected<Setback> candidate(Setback setback);
  [[nodiscard]] std::unexpected<Setback> reference(Setback setback);

 private:
  /// Set if kernels have taken the memory that we need for their buffers.
  [[nodiscard]] std::optional<Fate> out_of_memory(const Setback& setback) const;

  std::chrono::milliseconds limit_;
  MemoryShares memory_;
  std::string phase_ = "checking";
  bool was_killed_ = false;
};

}  // namespace assay::eval
