#pragma once

#include <chrono>
#include <optional>

#include "base/clock.hpp"
#include "eval/runner.hpp"

namespace assay::eval {

/// In what part of a stretch of time some process of the machine waited for a processor.
class BusyPart {
 public:
  /// The stretch begins. Both outlive this.
  BusyPart(const RunnerSource& machine, const Clock& clock)
      : machine_(machine),
        clock_(clock),
        begun_(clock.now()),
        before_(machine.processor_pressure()) {}

  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return clock_.now() - begun_; }

  /// 0 to 1, of the time until now; 0 where nobody knows.
  [[nodiscard]] double value() const;

 private:
  const RunnerSource& machine_;
  const Clock& clock_;
  SteadyTime begun_;
  std::optional<std::chrono::nanoseconds> before_;
};

}  // namespace assay::eval
