#include "queue/metrics.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "model/job.hpp"
#include "queue/rate_window.hpp"

namespace assay::queue {
namespace {

using std::chrono::seconds;

constexpr seconds kMinute{60};

}  // namespace

void Metrics::submitted() {
  const MutexLock lock(mutex_);
  ++totals_.submitted;
}

void Metrics::rejected() {
  const MutexLock lock(mutex_);
  ++totals_.rejected;
}

void Metrics::retried() {
  const MutexLock lock(mutex_);
  ++totals_.retried;
}

void Metrics::recovered(std::uint64_t repeated, std::uint64_t failed) {
  const MutexLock lock(mutex_);
  totals_.retried += repeated;
  totals_.failed += failed;
}

void Metrics::phase(JobState state, std::chrono::nanoseconds spent) {
  const MutexLock lock(mutex_);
  totals_.phases[state].add(spent);
}

void Metrics::ended(JobState state, const std::optional<std::string>& verdict,
                    std::chrono::nanoseconds since_submission) {
  const MutexLock lock(mutex_);
  if (state == JobState::done) ++totals_.done;
  if (state == JobState::failed) ++totals_.failed;
  if (state == JobState::cancelled) ++totals_.cancelled;
  if (verdict) ++totals_.verdicts[*verdict];
  totals_.end_to_end.add(since_submission);
  finished_.add(clock_.now());
}

Totals Metrics::totals() const {
  const SteadyTime now = clock_.now();
  const MutexLock lock(mutex_);
  Totals totals = totals_;
  totals.finished_last_minute = finished_.count(now, kMinute);
  totals.finished_last_five_minutes = finished_.count(now, RateWindow::kSpan);
  totals.uptime = now - started_;
  return totals;
}

seconds Metrics::time_for(std::uint64_t jobs) const {
  const SteadyTime now = clock_.now();
  const MutexLock lock(mutex_);
  const std::uint64_t a_minute = finished_.count(now, kMinute);
  if (a_minute == 0) return kMinute;
  return std::clamp(seconds(jobs * 60 / a_minute), seconds(1), kMinute);
}

}  // namespace assay::queue
