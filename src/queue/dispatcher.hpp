#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "device/gpu_health.hpp"
#include "device/lease_pool.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "queue/attempt.hpp"
#include "queue/device_keeper.hpp"
#include "queue/metrics.hpp"
#include "queue/watchdog.hpp"
#include "queue/watchers.hpp"
#include "store/job_store.hpp"
#include "worker/client.hpp"

namespace assay::queue {

struct DispatcherOptions {
  std::size_t max_queued = 1000;
  /// Jobs on the way at once for each device: one runs while the others build and wait.
  std::size_t lanes_per_device = 2;
  std::chrono::milliseconds grace{500};  // see AttemptPorts
  std::chrono::milliseconds keep_age = std::chrono::hours(24 * 7);
  std::size_t keep_count = 10'000;
  std::uint64_t keep_bytes = UINT64_MAX;  // of finished jobs and those on their way together
  std::chrono::milliseconds sweep_every = std::chrono::minutes(1);
  std::size_t callback_threads = 4;
  /// How a device is, where it can say; a fault takes it out of service.
  std::function<std::optional<device::GpuHealth>(const DeviceInfo&)> health;
  std::chrono::milliseconds look_every = std::chrono::seconds(5);  // at the devices' health
  std::chrono::milliseconds write_again_every =
      std::chrono::seconds(1);  // what a full disk refused
  /// Called with how long a job with an owner had a device.
  std::function<void(const std::string& owner, std::chrono::milliseconds time)> on_device_use;
  std::string version;
  std::vector<std::string> jail_missing{};  // parts, for the provenance of results
};

/// Everything `/metrics`, `/health` and `/stats` say.
struct Snapshot {
  store::JobCounts jobs;  // as stored now, including those of earlier runs
  std::optional<std::chrono::milliseconds> oldest_queued;  // its age
  Totals totals;
  compile::BuildStats builds;
  std::vector<device::DeviceUse> devices;
  device::LeaseWaits waits;
};

/// Takes jobs in, brings each to its one result, and tells those who watch. What it is given must
/// outlive it.
class Dispatcher {
 public:
  /// Recovers what an earlier run left behind, then starts working. If the disk is too full for
  /// that, jobs can only be read. Work begins when there is room.
  [[nodiscard]] static Result<std::unique_ptr<Dispatcher>> start(
      store::JobStore& store, compile::Builder& builder,
      const std::vector<worker::Client*>& clients, const Clock& clock, const Log& log,
      DispatcherOptions options = {});
  /// Stops what runs. Those jobs go back into the queue, and the next start takes them up.
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;
  Dispatcher(Dispatcher&&) = delete;
  Dispatcher& operator=(Dispatcher&&) = delete;

  /// Fails with `resource_exhausted` if the queue is full (see retry_after), and with `conflict` if
  /// the idempotency key belongs to another request. Fails with `invalid_argument` for an unknown
  /// device, and with `unavailable` while draining.
  [[nodiscard]] Result<store::Submission> submit(const store::NewJob& request);
  [[nodiscard]] std::chrono::seconds retry_after() const;
  /// A queued job is cancelled when this returns. A running job is being stopped. Returns the state
  /// that the job is in. Fails with `conflict` if it has ended.
  [[nodiscard]] Result<JobState> cancel(const JobId& id);

  [[nodiscard]] Result<Subscription> subscribe(const JobId& id, std::int64_t after_sequence,
                                               EventsCallback callback);
  [[nodiscard]] Result<Subscription> on_finished(const JobId& id, FinishedCallback callback);

  [[nodiscard]] Result<Snapshot> snapshot() const;
  [[nodiscard]] std::vector<DeviceInfo> devices() const;
  /// Nothing where the device does not say, as `cpu`.
  [[nodiscard]] std::optional<device::GpuHealth> health(const DeviceInfo& device) const;
  [[nodiscard]] device::LeasePool& leases() { return leases_; }

  /// Claims nothing more and waits for what runs. True if all of it came to its end. At the
  /// deadline the rest is stopped and goes back into the queue.
  bool drain(const Deadline& deadline);

 private:
  /// `unstored`: a step of it could not be written.
  enum class StopReason : std::uint8_t { none, cancelled, shutting_down, unstored };
  struct Running {
    std::stop_source stop;
    StopReason reason = StopReason::none;
  };
  struct Unwritten {  // the end of an attempt that a full disk did not take
    Job job;
    Result<Outcome> outcome;
    StopReason reason;
  };
  struct Station {  // one device and the jobs on their way to it
    worker::Client* client;
    std::size_t load = 0;
    std::size_t idle_lanes = 0;
  };

  Dispatcher(store::JobStore& store, compile::Builder& builder,
             const std::vector<worker::Client*>& clients, const Clock& clock, const Log& log,
             DispatcherOptions options);
  void open_lanes();
  void run_lane(Station& station, const std::stop_token& stop);
  std::optional<Job> next_job(Station& station, const std::stop_token& stop);
  [[nodiscard]] bool others_are_freer(const Station& station) const ASSAY_REQUIRES(mutex_);
  void work_on(Station& station, const Job& job);
  Result<Outcome> attempt(Station& station, const Job& job);
  void conclude(const Job& job, const Result<Outcome>& outcome);
  Result<JobEvent> store_end(const Job& job, const Result<Outcome>& outcome,
                             const std::string& encoded, StopReason reason) ASSAY_REQUIRES(mutex_);
  Result<JobEvent> store_failure(const Job& job, const Error& error, StopReason reason)
      ASSAY_REQUIRES(mutex_);
  void announce_end(const Job& job, const JobEvent& event, const Result<Outcome>& outcome);
  /// Recovers what an earlier run left behind. Fails with `resource_exhausted` if the disk is full.
  [[nodiscard]] Result<void> recover();
  void write_late_ends(const std::stop_token& stop);
  void announce(const Job& job, const JobEvent& event, const std::optional<std::string>& verdict);
  void wake_lanes();
  void stop_running();
  void sweep(const std::stop_token& stop);
  void watch_devices(const std::stop_token& stop);
  [[nodiscard]] std::optional<std::string> fault_of(const DeviceInfo& device) const;
  void note_device(const Station& station, const Result<Outcome>& outcome);
  void note_unstored(const JobId& id, const Error& error);
  void charge_owner(const Job& job, std::chrono::nanoseconds time);

  store::JobStore& store_;
  compile::Builder& builder_;
  const Clock& clock_;
  const Log& log_;
  const DispatcherOptions options_;
  Metrics metrics_;
  device::LeasePool leases_;
  DeviceKeeper keeper_;
  Watchdog watchdog_;
  AttemptPorts ports_;
  Watchers watchers_;

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Station> stations_ ASSAY_GUARDED_BY(mutex_);
  std::map<JobId, Running> running_ ASSAY_GUARDED_BY(mutex_);
  std::uint64_t arrivals_ ASSAY_GUARDED_BY(mutex_) = 1;  // changes when a claim may succeed
  bool draining_ ASSAY_GUARDED_BY(mutex_) = false;
  bool recovered_ ASSAY_GUARDED_BY(mutex_) = false;  // nothing is claimed before
  std::deque<Unwritten> unwritten_ ASSAY_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // last: they use all above
};

}  // namespace assay::queue
