#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace assay::eval {

/// What we saw of one batch of timed runs.
struct TimedBatch {
  std::chrono::nanoseconds wall{};              // from asking for it to its replies, by our clock
  std::optional<std::chrono::nanoseconds> cpu;  // processor time the runner used meanwhile
  std::span<const double> claimed_ns;
  std::size_t restored = 0;  // bytes the runner had to copy around each run
  int commands = 1;          // by which it was asked for
  std::size_t tensors = 0;   // of the answer, which the runner looks at after each command
};

/// Compares the times that a runner claims with our own clock. On a busy machine much time can pass
/// between the runs of an honest kernel, but its process does not compute then. A runner has
/// touched its clock only if it used far more of the processor than it claims, in most batches.
class ClockCheck {
 public:
  void add(const TimedBatch& batch);

  /// Why the claims cannot be believed, if they cannot.
  [[nodiscard]] std::optional<std::string> complaint() const;

 private:
  int batches_ = 0;
  int suspicious_ = 0;
  std::optional<std::string> impossible_;  // more time claimed than passed
  std::string example_;
};

/// What one command for several timed calls cost beside what was claimed for them, ns a call.
struct BesideCalls {
  double reference = 0;
  double candidate = 0;
};

/// Why work seems to be done outside the claimed times, if it does. Both runners get the same
/// commands and inputs, so both put as much into place between calls. A kernel that works before
/// its clock starts, or after it has stopped, makes its runner do far more, at every call. `call`
/// is what the reference's call takes, `claimed` the candidate's, in ns.
[[nodiscard]] std::optional<std::string> hidden_work(const BesideCalls& beside, double call,
                                                     double claimed);

/// Whether a kernel claims to be so fast that it matters what it does beside its calls.
[[nodiscard]] bool may_hide_work(double call, double claimed);

}  // namespace assay::eval
