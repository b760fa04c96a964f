#pragma once

#include <cstddef>
#include <vector>

namespace assay::timing {

/// How long rounds of calls took by a clock outside the process that made them: short rounds of one
/// call, and long ones with `apart` calls more.
struct OutsideRounds {
  std::vector<double> short_ns;
  std::vector<double> long_ns;
  std::size_t apart = 1;

  /// Rounds of another distance replace what was seen before.
  void add(const OutsideRounds& more);
  /// What one call took, with all that comes with it. Of each kind of round only the quickest
  /// quarter counts: another process's work may come in between, and can only add time. 0 if there
  /// are no rounds.
  [[nodiscard]] double call_ns() const;
  /// What a short round took beside its one call.
  [[nodiscard]] double beside_ns() const;
  /// What one call took by the long rounds alone, where so much comes beside the calls of a round.
  /// Short rounds that somebody makes longer do not change it.
  [[nodiscard]] double call_ns_of_long(double beside) const;
  /// What the one call of a short round took, where so much comes beside it.
  [[nodiscard]] double call_ns_of_short(double beside) const;
};

}  // namespace assay::timing
