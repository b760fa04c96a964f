#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "model/job.hpp"
#include "queue/histogram.hpp"
#include "queue/rate_window.hpp"

namespace assay::queue {

/// What happened since the server started. Bounded: nothing here grows with the number of jobs.
struct Totals {
  std::uint64_t submitted = 0;
  std::uint64_t rejected = 0;   // the queue was full
  std::uint64_t done = 0;       // with a verdict
  std::uint64_t failed = 0;     // for a reason of ours
  std::uint64_t cancelled = 0;  //
  std::uint64_t retried = 0;    // attempts cut short and repeated
  std::map<std::string, std::uint64_t> verdicts;
  std::map<JobState, Histogram> phases;  // time spent in each state
  Histogram end_to_end;                  // from submission to the end
  std::uint64_t finished_last_minute = 0;
  std::uint64_t finished_last_five_minutes = 0;
  std::chrono::nanoseconds uptime{};
};

/// Collects Totals. Safe to use from several threads.
class Metrics {
 public:
  explicit Metrics(const Clock& clock) : clock_(clock), started_(clock.now()) {}

  void submitted();
  void rejected();
  void retried();
  /// An earlier run left jobs behind. So many of them are repeated, and so many were failed. Nobody
  /// saw when they ended, so they count in no rate and no time.
  void recovered(std::uint64_t repeated, std::uint64_t failed);
  void phase(JobState state, std::chrono::nanoseconds spent);
  /// `verdict` where it is done.
  void ended(JobState state, const std::optional<std::string>& verdict,
             std::chrono::nanoseconds since_submission);

  [[nodiscard]] Totals totals() const;
  /// How long until `jobs` more are through, at the rate of the last minute; between a second
  /// and a minute.
  [[nodiscard]] std::chrono::seconds time_for(std::uint64_t jobs) const;

 private:
  const Clock& clock_;
  const SteadyTime started_;
  mutable Mutex mutex_;
  Totals totals_ ASSAY_GUARDED_BY(mutex_);
  RateWindow finished_ ASSAY_GUARDED_BY(mutex_);
};

}  // namespace assay::queue
