#include "api/prometheus.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "model/job.hpp"
#include "queue/dispatcher.hpp"
#include "queue/histogram.hpp"

namespace assay::api {
namespace {

class Exposition {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Number>
  void sample(std::string_view name, std::string_view labels, Number value) {
    text_ += labels.empty() ? fmt::format("{} {}\n", name, value)
                            : fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  void histogram(std::string_view name, std::string_view labels, const queue::Histogram& h) {
    const std::string comma = labels.empty() ? "" : std::string(labels) + ",";
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < queue::Histogram::kBounds.size(); ++i) {
      cumulative += h.buckets[i];
      sample(fmt::format("{}_bucket", name),
             fmt::format("{}le=\"{}\"", comma, queue::Histogram::kBounds[i]), cumulative);
    }
    sample(fmt::format("{}_bucket", name), comma + "le=\"+Inf\"", h.count);
    sample(fmt::format("{}_sum", name), labels, h.sum);
    sample(fmt::format("{}_count", name), labels, h.count);
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

void write_jobs(Exposition& out, const queue::Snapshot& snapshot) {
  out.family("assay_jobs", "gauge", "Jobs in the store, by state.");
  for (const auto& [state, name] : kJobStateNames) {
    const auto found = snapshot.jobs.by_state.find(state);
    out.sample("assay_jobs", fmt::format("state=\"{}\"", name),
               found == snapshot.jobs.by_state.end() ? 0 : found->second);
  }
  out.family("assay_verdicts_total", "counter", "Verdicts reached since the start.");
  for (const auto& [verdict, count] : snapshot.totals.verdicts) {
    out.sample("assay_verdicts_total", fmt::format("verdict=\"{}\"", verdict), count);
  }
  const auto& totals = snapshot.totals;
  out.family("assay_jobs_submitted_total", "counter", "Jobs accepted since the start.");
  out.sample("assay_jobs_submitted_total", "", totals.submitted);
  out.family("assay_jobs_rejected_total", "counter", "Jobs refused because the queue was full.");
  out.sample("assay_jobs_rejected_total", "", totals.rejected);
  out.family("assay_jobs_finished_total", "counter", "Jobs that ended since the start.");
  out.sample("assay_jobs_finished_total", "state=\"done\"", totals.done);
  out.sample("assay_jobs_finished_total", "state=\"failed\"", totals.failed);
  out.sample("assay_jobs_finished_total", "state=\"cancelled\"", totals.cancelled);
  out.family("assay_attempts_retried_total", "counter", "Attempts cut short and repeated.");
  out.sample("assay_attempts_retried_total", "", totals.retried);
}

void write_queue(Exposition& out, const queue::Snapshot& snapshot) {
  const auto queued = snapshot.jobs.by_state.find(JobState::queued);
  out.family("assay_queue_depth", "gauge", "Jobs waiting to be started.");
  out.sample("assay_queue_depth", "", queued == snapshot.jobs.by_state.end() ? 0 : queued->second);
  out.family("assay_queue_oldest_seconds", "gauge", "Age of the job that has waited longest.");
  out.sample("assay_queue_oldest_seconds", "",
             snapshot.oldest_queued ? seconds(*snapshot.oldest_queued) : 0.0);
  out.family("assay_phase_seconds", "histogram", "Time jobs spent in each state.");
  for (const auto& [state, histogram] : snapshot.totals.phases) {
    out.histogram("assay_phase_seconds", fmt::format("state=\"{}\"", to_string(state)), histogram);
  }
  out.family("assay_job_seconds", "histogram", "Time from submission to the end.");
  out.histogram("assay_job_seconds", "", snapshot.totals.end_to_end);
}

void write_builds(Exposition& out, const queue::Snapshot& snapshot) {
  out.family("assay_builds_total", "counter", "Compilers run.");
  out.sample("assay_builds_total", "", snapshot.builds.builds);
  out.family("assay_build_failures_total", "counter", "Sources that did not compile.");
  out.sample("assay_build_failures_total", "", snapshot.builds.failures);
  out.family("assay_build_cache_hits_total", "counter", "Builds answered from the cache.");
  out.sample("assay_build_cache_hits_total", "", snapshot.builds.cache_hits);
  out.family("assay_builds_joined_total", "counter", "Builds that waited for an equal one.");
  out.sample("assay_builds_joined_total", "", snapshot.builds.joined);
  out.family("assay_build_seconds_total", "counter", "Time spent in compilers.");
  out.sample("assay_build_seconds_total", "", snapshot.builds.seconds);
}

void write_devices(Exposition& out, const queue::Snapshot& snapshot) {
  out.family("assay_device_busy", "gauge", "1 while the device is leased.");
  for (const auto& use : snapshot.devices) {
    out.sample("assay_device_busy", fmt::format("device=\"{}\"", use.device.value),
               use.held ? 1 : 0);
  }
  out.family("assay_device_busy_seconds_total", "counter", "Time the device was leased.");
  for (const auto& use : snapshot.devices) {
    out.sample("assay_device_busy_seconds_total", fmt::format("device=\"{}\"", use.device.value),
               seconds(use.busy));
  }
  out.family("assay_device_leases_total", "counter", "Leases given.");
  for (const auto& use : snapshot.devices) {
    out.sample("assay_device_leases_total", fmt::format("device=\"{}\"", use.device.value),
               use.leases);
  }
}

}  // namespace

std::string prometheus_text(const queue::Snapshot& snapshot) {
  Exposition out;
  out.family("assay_uptime_seconds", "gauge", "Time since the server started.");
  out.sample("assay_uptime_seconds", "", seconds(snapshot.totals.uptime));
  write_jobs(out, snapshot);
  write_queue(out, snapshot);
  write_builds(out, snapshot);
  write_devices(out, snapshot);
  return std::move(out).take();
}

}  // namespace assay::api
