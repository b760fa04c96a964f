#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace assay::eval {

/// Holds the times a runner claims against our own clock. One odd batch may be the scheduler's
/// doing; a runner whose claims disagree in most batches has touched its clock.
class ClockCheck {
 public:
  /// `wall` is what we measured from asking for the batch to its reply; `restored` the bytes the
  /// runner had to copy back before each run.
  void add(std::chrono::nanoseconds wall, std::span<const double> claimed_ns, std::size_t restored);

  /// Why the claims cannot be believed, if they cannot.
  [[nodiscard]] std::optional<std::string> complaint() const;

 private:
  int batches_ = 0;
  int suspicious_ = 0;
  std::optional<std::string> impossible_;  // more time claimed than passed
  std::string example_;
};

}  // namespace assay::eval
