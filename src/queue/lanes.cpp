// The dispatch path: what the threads of a Dispatcher do.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/verdict.hpp"
#include "queue/attempt.hpp"
#include "queue/dispatcher.hpp"
#include "queue/metrics.hpp"
#include "store/job_store.hpp"
#include "wire/decode_error.hpp"
#include "wire/outcome.hpp"
#include "wire/request.hpp"

namespace assay::queue {
namespace {

/// After a failing disk; a claim that fails for another reason is a mistake of ours.
constexpr std::chrono::seconds kRetryClaim{1};

/// Unless the job is gone or has ended already, as when it was cancelled meanwhile.
bool may_be_written_later(const Error& error) {
  return error.code() != ErrorCode::not_found && error.code() != ErrorCode::conflict;
}

/// Details are for people: a compiler's whole log is in the result.
constexpr std::size_t kLongestDetail = 400;

std::string detail_of(const Verdict& verdict) {
  std::string detail(name_of(verdict));
  if (const std::string reason = reason_of(verdict); !reason.empty()) detail += ": " + reason;
  if (detail.size() <= kLongestDetail) return detail;
  std::size_t end = kLongestDetail;
  while (end > 0 && (static_cast<unsigned char>(detail[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return detail.substr(0, end) + "…";
}

/// Reports how long a job was in each state.
class PhaseTimer {
 public:
  PhaseTimer(Metrics& metrics, const Clock& clock) : metrics_(metrics), clock_(clock) {}
  void left(JobState state) {
    const SteadyTime now = clock_.now();
    metrics_.phase(state, now - since_);
    since_ = now;
  }

 private:
  Metrics& metrics_;
  const Clock& clock_;
  SteadyTime since_ = clock_.now();
};

}  // namespace

void Dispatcher::run_lane(Station& station, const std::stop_token& stop) {
  while (const auto job = next_job(station, stop)) work_on(station, *job);
}

/// Claiming and registering happen under one lock, so `cancel` finds a job either queued or
/// running.
std::optional<Job> Dispatcher::next_job(Station& station, const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  std::optional<Job> job;
  std::uint64_t tried = 0;
  while (!job) {
    const bool ready = changed_.wait(mutex_, stop, [&] {
      mutex_.assert_held();
      return draining_ || (recovered_ && arrivals_ != tried && store_.queued() > 0 &&
                           keeper_.in_service(station.client->device().id));
    });
    if (!ready || draining_ || stop.stop_requested()) break;
    tried = arrivals_;
    auto claimed = store_.claim_next(
        {.device = station.client->device().id, .only_pinned = others_are_freer(station)});
    if (claimed) {
      job = *std::move(claimed);
      continue;
    }
    log_.error("queue", "claim a job: {}", claimed.error().message());
    tried = 0;
    changed_.wait_for(mutex_, stop, kRetryClaim, [] { return false; });
  }
  if (!job) return job;
  --station.idle_lanes;
  running_.try_emplace(job->id);
  ++station.load;
  ++arrivals_;  // who left a job to this lane may now take the next
  if (store_.queued() > 0) changed_.notify_all();
  return job;
}

/// Whether another device stands ready with less to do: it should have the jobs that may run
/// anywhere.
bool Dispatcher::others_are_freer(const Station& station) const {
  return std::ranges::any_of(stations_, [&](const Station& other) {
    return other.idle_lanes > 0 && other.load < station.load &&
           keeper_.in_service(other.client->device().id);
  });
}

void Dispatcher::work_on(Station& station, const Job& job) {
  watchers_.nudge(job.id, job.state);
  metrics_.phase(JobState::queued, job.started.value_or(job.created) - job.created);
  const auto outcome = attempt(station, job);
  conclude(job, outcome);
  const MutexLock lock(mutex_);
  --station.load;
  ++station.idle_lanes;
  ++arrivals_;
  changed_.notify_all();
}

/// An attempt that ended, with whatever verdict, speaks for the device.
void Dispatcher::note_device(const Station& station, const Result<Outcome>& outcome) {
  const DeviceId& id = station.client->device().id;
  if (outcome) {
    keeper_.worked(id);
  } else if (outcome.error().code() == ErrorCode::unavailable) {
    keeper_.failed(id, outcome.error().message());
  }
}

void Dispatcher::charge_owner(const Job& job, std::chrono::nanoseconds time) {
  if (!job.owner || time <= std::chrono::nanoseconds::zero()) return;
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(time);
  if (auto charged = store_.charge(job.id, rounded); !charged) {
    log_.warning("queue", "charge job {}: {}", job.id.value, charged.error().message());
  }
  if (options_.on_device_use) options_.on_device_use(*job.owner, rounded);
}

Result<Outcome> Dispatcher::attempt(Station& station, const Job& job) {
  auto request = wire::decode_request(job.form, job.body);
  if (!request) {
    return fail(ErrorCode::invalid_argument,
                "read the stored request: " + wire::describe(request.error()));
  }
  std::stop_source stop;
  {
    const MutexLock lock(mutex_);
    stop = running_.at(job.id).stop;
  }
  PhaseTimer timer(metrics_, clock_);
  JobState state = job.state;
  const auto sink = [&](JobStep step, std::string_view detail) -> Result<void> {
    auto event = store_.advance(job.id, step, detail);
    if (!event) {
      note_unstored(job.id, event.error());
      return std::unexpected(std::move(event).error());
    }
    timer.left(std::exchange(state, event->state));
    watchers_.nudge(job.id, event->state);
    return {};
  };
  Attempt attempt(ports_, *station.client, job, *std::move(request), stop, sink);
  auto outcome = attempt.run();
  if (outcome) outcome->provenance.jail_missing = options_.jail_missing;
  timer.left(state);
  charge_owner(job, attempt.device_time());
  // What failed before the device was leased says nothing of it.
  if (outcome || state == JobState::checking || state == JobState::timing) {
    note_device(station, outcome);
  }
  return outcome;
}

/// A job that a full disk stopped is not to blame for it.
void Dispatcher::note_unstored(const JobId& id, const Error& error) {
  if (error.code() != ErrorCode::resource_exhausted) return;
  const MutexLock lock(mutex_);
  if (const auto found = running_.find(id);
      found != running_.end() && found->second.reason == StopReason::none) {
    found->second.reason = StopReason::unstored;
  }
}

void Dispatcher::conclude(const Job& job, const Result<Outcome>& outcome) {
  const std::string encoded = outcome ? wire::encode_outcome(*outcome) : std::string();
  Result<JobEvent> event;
  {
    // One lock, as for claiming: who claims a job that is repeated finds nothing of this attempt.
    const MutexLock lock(mutex_);
    const StopReason reason = running_.at(job.id).reason;
    event = store_end(job, outcome, encoded, reason);
    if (!event && event.error().code() != ErrorCode::resource_exhausted) {
      log_.error("queue", "end job {}: {}", job.id.value, event.error().message());
      event = store_.fail(job.id, event.error());
    }
    if (!event && may_be_written_later(event.error())) {
      unwritten_.push_back({.job = job, .outcome = outcome, .reason = reason});
      changed_.notify_all();
    }
    running_.erase(job.id);
  }
  if (event) return announce_end(job, *event, outcome);
  log_.error("queue", "the end of job {} could not be written{}: {}", job.id.value,
             may_be_written_later(event.error()) ? ", and is tried again" : "",
             event.error().message());
}

Result<JobEvent> Dispatcher::store_end(const Job& job, const Result<Outcome>& outcome,
                                       const std::string& encoded, StopReason reason) {
  if (!outcome) return store_failure(job, outcome.error(), reason);
  return store_.finish(job.id, name_of(outcome->verdict), encoded, detail_of(outcome->verdict),
                       outcome->artifacts,
                       outcome->speed ? std::optional(outcome->speed->speedup) : std::nullopt);
}

void Dispatcher::announce_end(const Job& job, const JobEvent& event,
                              const Result<Outcome>& outcome) {
  announce(job, event,
           outcome ? std::optional<std::string>(name_of(outcome->verdict)) : std::nullopt);
}

/// Until all is written that a full disk refused: ends of jobs, and what an earlier run left.
void Dispatcher::write_late_ends(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool recovered = false;
    std::optional<Unwritten> late;
    {
      const MutexLock lock(mutex_);
      const auto something_to_do = [this] {
        mutex_.assert_held();
        return !recovered_ || !unwritten_.empty();
      };
      if (!changed_.wait(mutex_, stop, something_to_do)) return;
      recovered = recovered_;
      changed_.wait_for(mutex_, stop, options_.write_again_every, [] { return false; });
      if (recovered && !unwritten_.empty()) {
        late = std::move(unwritten_.front());
        unwritten_.pop_front();
      }
    }
    if (!recovered) {
      if (recover()) wake_lanes();
      continue;
    }
    if (!late) continue;
    const std::string encoded = late->outcome ? wire::encode_outcome(*late->outcome) : "";
    Result<JobEvent> event;
    {
      const MutexLock lock(mutex_);
      event = store_end(late->job, late->outcome, encoded, late->reason);
      if (!event && may_be_written_later(event.error())) {
        unwritten_.push_back(std::move(*late));  // the others may fit
        continue;
      }
    }
    if (event) {
      log_.info("queue", "the end of job {} is written now", late->job.id.value);
      announce_end(late->job, *event, late->outcome);
      wake_lanes();
    } else {  // cancelled meanwhile, or forgotten
      log_.warning("queue", "end job {}: {}", late->job.id.value, event.error().message());
    }
  }
}

Result<JobEvent> Dispatcher::store_failure(const Job& job, const Error& error, StopReason reason) {
  // Whatever the stopped work says, being stopped is why it ended.
  if (reason == StopReason::cancelled) {
    return store_.advance(job.id, JobStep::cancel, "cancelled by the client");
  }
  if (reason == StopReason::shutting_down) {
    return store_.give_back(job.id, "the server is shutting down");
  }
  if (reason == StopReason::unstored) {
    return store_.give_back(job.id, "the disk was full");
  }
  const bool repeatable = error.code() == ErrorCode::unavailable ||
                          error.code() == ErrorCode::resource_exhausted ||
                          error.code() == ErrorCode::cancelled;
  if (!repeatable) {
    log_.error("queue", "job {} failed: {}", job.id.value, error.message());
    return store_.fail(job.id, error);
  }
  ASSAY_TRY(store::Interruption interruption, store_.interrupt(job.id, error.message()));
  log_.warning("queue", "attempt {} of job {} was interrupted ({}): {}", job.attempts, job.id.value,
               interruption.requeued ? "repeated" : "given up", error.message());
  if (interruption.requeued) metrics_.retried();
  return std::move(interruption.event);
}

void Dispatcher::announce(const Job& job, const JobEvent& event,
                          const std::optional<std::string>& verdict) {
  if (is_final(event.state)) metrics_.ended(event.state, verdict, event.at - job.created);
  watchers_.nudge(job.id, event.state);
}

void Dispatcher::wake_lanes() {
  const MutexLock lock(mutex_);
  ++arrivals_;
  changed_.notify_all();
}

}  // namespace assay::queue
