#include "queue/dispatcher.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "device/gpu_health.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "queue/placement.hpp"
#include "queue/watchers.hpp"
#include "store/job_store.hpp"
#include "worker/client.hpp"

namespace assay::queue {
namespace {

std::vector<DeviceId> ids_of(const std::vector<worker::Client*>& clients) {
  std::vector<DeviceId> ids;
  ids.reserve(clients.size());
  for (const worker::Client* client : clients) ids.push_back(client->device().id);
  return ids;
}

}  // namespace

Dispatcher::Dispatcher(store::JobStore& store, compile::Builder& builder,
                       const std::vector<worker::Client*>& clients, const Clock& clock,
                       const Log& log, DispatcherOptions options)
    : store_(store),
      builder_(builder),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      metrics_(clock),
      leases_(ids_of(clients), clock),
      keeper_(
          leases_, [this](const DeviceInfo& device) { return fault_of(device); }, clock, log),
      watchdog_(clock),
      ports_{.clock = clock,
             .builder = builder,
             .leases = leases_,
             .watchdog = watchdog_,
             .version = options_.version,
             .grace = options_.grace},
      watchers_(store, options_.callback_threads) {
  for (worker::Client* client : clients) stations_.push_back({.client = client});
}

Result<std::unique_ptr<Dispatcher>> Dispatcher::start(store::JobStore& store,
                                                      compile::Builder& builder,
                                                      const std::vector<worker::Client*>& clients,
                                                      const Clock& clock, const Log& log,
                                                      DispatcherOptions options) {
  std::unique_ptr<Dispatcher> dispatcher(
      new Dispatcher(store, builder, clients, clock, log, std::move(options)));
  if (auto recovered = dispatcher->recover(); !recovered) {
    if (recovered.error().code() != ErrorCode::resource_exhausted) {
      return std::unexpected(std::move(recovered).error());
    }
    log.error("queue", "no job is worked on before there is room on the disk: {}",
              recovered.error().message());
  }
  dispatcher->open_lanes();
  return dispatcher;
}

Result<void> Dispatcher::recover() {
  ASSAY_TRY(const store::Recovery recovery, store_.recover());
  if (recovery.requeued + recovery.failed > 0) {
    log_.warning("queue", "{} interrupted jobs are repeated, {} had their attempts and failed",
                 recovery.requeued, recovery.failed);
  }
  std::vector<DeviceId> ids;
  for (const DeviceInfo& device : devices()) ids.push_back(device.id);
  ASSAY_TRY(const std::size_t stranded, store_.fail_stranded(ids));
  if (stranded > 0) log_.warning("queue", "{} jobs asked for devices that are gone", stranded);
  metrics_.recovered(recovery.requeued, recovery.failed + stranded);
  const MutexLock lock(mutex_);
  recovered_ = true;
  return {};
}

void Dispatcher::open_lanes() {
  const MutexLock lock(mutex_);
  for (Station& station : stations_) {
    station.idle_lanes = options_.lanes_per_device;
    for (std::size_t i = 0; i < options_.lanes_per_device; ++i) {
      threads_.emplace_back(
          [this, &station](const std::stop_token& stop) { run_lane(station, stop); });
    }
  }
  threads_.emplace_back([this](const std::stop_token& stop) { sweep(stop); });
  threads_.emplace_back([this](const std::stop_token& stop) { watch_devices(stop); });
  threads_.emplace_back([this](const std::stop_token& stop) { write_late_ends(stop); });
}

Dispatcher::~Dispatcher() {
  {
    const MutexLock lock(mutex_);
    draining_ = true;
  }
  stop_running();
}

Result<store::Submission> Dispatcher::submit(const store::NewJob& request) {
  {
    const MutexLock lock(mutex_);
    if (draining_) return fail(ErrorCode::unavailable, "the server is shutting down");
  }
  if (request.device) {
    if (auto why = not_here(*request.device, devices())) {
      return fail(ErrorCode::invalid_argument, *std::move(why));
    }
  }
  auto submission = store_.submit(request, options_.max_queued);
  if (!submission) {
    if (submission.error().code() == ErrorCode::resource_exhausted) metrics_.rejected();
    return submission;
  }
  if (submission->created) {
    metrics_.submitted();
    wake_lanes();
  }
  return submission;
}

std::chrono::seconds Dispatcher::retry_after() const {
  // A place is free when one job is through; a tenth of the queue makes a useful number of them.
  return metrics_.time_for(std::max<std::uint64_t>(store_.queued() / 10, 1));
}

Result<JobState> Dispatcher::cancel(const JobId& id) {
  JobEvent event;
  {
    const MutexLock lock(mutex_);  // nothing is claimed meanwhile
    if (const auto found = running_.find(id); found != running_.end()) {
      found->second.reason = StopReason::cancelled;
      found->second.stop.request_stop();
      ASSAY_TRY(const Job job, store_.get(id));
      return job.state;
    }
    ASSAY_TRY(event, store_.advance(id, JobStep::cancel, "cancelled by the client"));
  }
  ASSAY_TRY(const Job job, store_.get(id));
  announce(job, event, std::nullopt);
  return event.state;
}

Result<Subscription> Dispatcher::subscribe(const JobId& id, std::int64_t after_sequence,
                                           EventsCallback callback) {
  return watchers_.subscribe(id, after_sequence, std::move(callback));
}

Result<Subscription> Dispatcher::on_finished(const JobId& id, FinishedCallback callback) {
  return watchers_.on_finished(id, std::move(callback));
}

Result<Snapshot> Dispatcher::snapshot() const {
  ASSAY_TRY(store::JobCounts jobs, store_.counts());
  Snapshot snapshot{.jobs = std::move(jobs),
                    .totals = metrics_.totals(),
                    .builds = builder_.stats(),
                    .devices = leases_.uses(),
                    .waits = leases_.waits()};
  if (snapshot.jobs.oldest_queued) {
    snapshot.oldest_queued = clock_.wall_now() - *snapshot.jobs.oldest_queued;
  }
  return snapshot;
}

std::vector<DeviceInfo> Dispatcher::devices() const {
  const MutexLock lock(mutex_);
  std::vector<DeviceInfo> devices;
  devices.reserve(stations_.size());
  for (const Station& station : stations_) devices.push_back(station.client->device());
  return devices;
}

bool Dispatcher::drain(const Deadline& deadline) {
  const auto idle = [this] {
    mutex_.assert_held();
    return running_.empty();
  };
  {
    const MutexLock lock(mutex_);
    draining_ = true;
    changed_.notify_all();
    if (changed_.wait_for(mutex_, deadline.remaining(), idle)) return true;
    log_.warning("queue", "{} jobs did not end in time and go back into the queue",
                 running_.size());
  }
  stop_running();
  const MutexLock lock(mutex_);
  changed_.wait(mutex_, idle);
  return false;
}

void Dispatcher::stop_running() {
  const MutexLock lock(mutex_);
  for (auto& [id, running] : running_) {
    if (running.reason == StopReason::none) running.reason = StopReason::shutting_down;
    running.stop.request_stop();
  }
  changed_.notify_all();
}

std::optional<device::GpuHealth> Dispatcher::health(const DeviceInfo& device) const {
  return options_.health ? options_.health(device) : std::nullopt;
}

std::optional<std::string> Dispatcher::fault_of(const DeviceInfo& device) const {
  const auto state = health(device);
  return state ? state->fault : std::nullopt;
}

void Dispatcher::watch_devices(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (keeper_.look(devices())) wake_lanes();
    const MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, options_.look_every, [] { return false; });
  }
}

void Dispatcher::sweep(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto swept = store_.sweep(options_.keep_age, options_.keep_count, options_.keep_bytes);
    if (!swept) log_.error("queue", "forget old jobs: {}", swept.error().message());
    if (swept && *swept > 0) log_.info("queue", "forgot {} old jobs", *swept);
    const MutexLock lock(mutex_);
    changed_.wait_for(mutex_, stop, options_.sweep_every, [] { return false; });
  }
}

}  // namespace assay::queue
