#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "api/compat_result.hpp"
#include "api/context.hpp"
#include "api/prometheus.hpp"
#include "api/routes.hpp"
#include "base/clock.hpp"
#include "base/version.hpp"
#include "compile/builder.hpp"
#include "device/gpu_health.hpp"
#include "device/lease_pool.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/router.hpp"
#include "model/device_info.hpp"
#include "model/job.hpp"
#include "queue/dispatcher.hpp"
#include "queue/histogram.hpp"
#include "queue/metrics.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

using queue::Snapshot;
using wire::Value;

double seconds_of(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

double ratio(double part, double whole, double empty) {
  return whole > 0 ? part / whole : empty;
}

double mean(const queue::Histogram& histogram) {
  return ratio(histogram.sum, static_cast<double>(histogram.count), 0.0);
}

Value::Members job_stats(const Snapshot& snapshot, WallTime now) {
  std::uint64_t total = 0;
  std::map<std::string_view, std::uint64_t> counts;  // two states can share a compatible name
  for (const auto& [state, count] : snapshot.jobs.by_state) {
    total += count;
    counts[compat_status(state)] += count;
  }
  Value::Members by_status;
  for (const auto& [name, count] : counts) by_status.emplace_back(name, count);
  const double age =
      snapshot.jobs.mean_created ? seconds_of(now - *snapshot.jobs.mean_created) : 0.0;
  return {{"total_jobs", total}, {"by_status", std::move(by_status)}, {"average_age", age}};
}

std::size_t free_devices(const Snapshot& snapshot) {
  std::size_t count = 0;
  for (const device::DeviceUse& use : snapshot.devices) {
    if (!use.held && !use.out_of_service) ++count;
  }
  return count;
}

Value::Members jail_state(const Context& context) {
  const auto& missing = context.weak_jail;
  return {{"complete", missing.empty()},
          {"missing", Value::Elements(missing.begin(), missing.end())}};
}

/// Whether the disk lets a job in, by the question that a submission is asked.
Value::Members storage_state(Context& context) {
  const auto room = context.store.check_room(1);
  if (room) return {{"taking_jobs", true}};
  return {{"taking_jobs", false}, {"reason", room.error().message()}};
}

http::Response health(Context& context, const Snapshot& snapshot) {
  const std::vector<std::string> preparing = context.preparing();
  const Value body =
      Value::Members{{"status", "healthy"},
                     {"version", version()},
                     {"job_stats", job_stats(snapshot, context.clock.wall_now())},
                     {"gpu_manager", Value::Members{{"available_gpus", free_devices(snapshot)}}},
                     {"ready", preparing.empty()},
                     {"preparing", Value::Elements(preparing.begin(), preparing.end())},
                     {"storage", storage_state(context)},
                     {"jail", jail_state(context)},
                     {"needs_token", context.gate != nullptr}};
  return http::Response::json(200, body.dump());
}

Value::Members compilation_metrics(const compile::BuildStats& builds) {
  const auto run = static_cast<double>(builds.builds);
  const auto asked = static_cast<double>(builds.builds + builds.cache_hits + builds.joined);
  return {{"total_compilations", builds.builds},
          {"successful_compilations", builds.builds - builds.failures},
          {"failed_compilations", builds.failures},
          {"cache_hits", builds.cache_hits + builds.joined},
          {"cache_misses", builds.builds},
          {"average_time_seconds", ratio(builds.seconds, run, 0.0)},
          {"min_time_seconds", builds.shortest},
          {"max_time_seconds", builds.longest},
          {"total_time_seconds", builds.seconds},
          {"success_rate", ratio(run - static_cast<double>(builds.failures), run, 1.0)},
          {"cache_hit_rate", ratio(asked - run, asked, 0.0)}};
}

std::uint64_t verdicts(const queue::Totals& totals, const std::string& name) {
  const auto found = totals.verdicts.find(name);
  return found == totals.verdicts.end() ? 0 : found->second;
}

Value::Members profiling_metrics(const Snapshot& snapshot) {
  const auto found = snapshot.totals.phases.find(JobState::timing);
  const queue::Histogram timing =
      found == snapshot.totals.phases.end() ? queue::Histogram{} : found->second;
  const std::uint64_t passed = verdicts(snapshot.totals, "accepted");
  const std::uint64_t wrong =
      verdicts(snapshot.totals, "wrong_answer") + verdicts(snapshot.totals, "non_deterministic");
  const auto total = static_cast<double>(timing.count);
  Value::Members usage;
  for (const auto& use : snapshot.devices)
    usage.emplace_back(use.device.value, seconds_of(use.busy));
  return {{"total_profilings", timing.count},
          {"successful_profilings", passed},
          {"failed_profilings", timing.count - std::min(timing.count, passed)},
          {"correctness_passed", passed},
          {"correctness_failed", wrong},
          {"average_time_seconds", mean(timing)},
          {"min_time_seconds", timing.min},
          {"max_time_seconds", timing.max},
          {"total_time_seconds", timing.sum},
          {"success_rate", ratio(static_cast<double>(passed), total, 1.0)},
          {"correctness_rate",
           ratio(static_cast<double>(passed), static_cast<double>(passed + wrong), 1.0)},
          {"gpu_usage_times", std::move(usage)}};
}

Value::Members device_utilization(const Snapshot& snapshot) {
  std::uint64_t leases = 0;
  std::uint64_t held = 0;
  double busy = 0;
  Value::Members by_device;
  for (const auto& use : snapshot.devices) {
    leases += use.leases;
    held += use.held ? 1U : 0U;
    busy += seconds_of(use.busy);
    by_device.emplace_back(use.device.value, seconds_of(use.busy));
  }
  const auto& waits = snapshot.waits;
  const double waited = seconds_of(waits.total);
  return {{"gpu_acquisitions", leases},
          {"gpu_releases", leases - held},
          {"active_sessions", held},
          {"total_gpu_time_seconds", busy},
          {"total_wait_time_seconds", waited},
          {"average_wait_time_seconds", ratio(waited, static_cast<double>(waits.count), 0.0)},
          {"max_wait_time_seconds", seconds_of(waits.longest)},
          {"min_wait_time_seconds", seconds_of(waits.shortest)},
          {"utilization_by_gpu", std::move(by_device)}};
}

Value::Members throughput(const queue::Totals& totals) {
  const double uptime = seconds_of(totals.uptime);
  const std::uint64_t ended = totals.done + totals.failed + totals.cancelled;
  return {
      {"server_uptime_seconds", uptime},
      {"server_uptime_minutes", uptime / 60},
      {"total_requests", totals.submitted},
      {"completed_requests", totals.done},
      {"failed_requests", totals.failed},
      {"success_rate", ratio(static_cast<double>(totals.done), static_cast<double>(ended), 1.0)},
      {"requests_per_minute", ratio(static_cast<double>(totals.submitted) * 60, uptime, 0.0)},
      {"recent_throughput_per_minute", static_cast<double>(totals.finished_last_five_minutes) / 5},
      {"average_end_to_end_time_seconds", mean(totals.end_to_end)},
      {"min_end_to_end_time_seconds", totals.end_to_end.min},
      {"max_end_to_end_time_seconds", totals.end_to_end.max}};
}

http::Response stats(Context& context, const Snapshot& snapshot) {
  const WallTime now = context.clock.wall_now();
  const Value body =
      Value::Members{{"job_stats", job_stats(snapshot, now)},
                     {"compilation_metrics", compilation_metrics(snapshot.builds)},
                     {"profiling_metrics", profiling_metrics(snapshot)},
                     {"gpu_utilization", device_utilization(snapshot)},
                     {"throughput", throughput(snapshot.totals)},
                     {"timestamp", std::chrono::duration<double>(now.time_since_epoch()).count()}};
  return http::Response::json(200, body.dump());
}

/// What the device does not report is left out.
Value::Members health_of(const device::GpuHealth& health) {
  Value::Members members;
  const auto add = [&](const char* name, const auto& value) {
    if (value) members.emplace_back(name, *value);
  };
  add("temperature_celsius", health.temperature_celsius);
  add("sm_clock_mhz", health.sm_clock_mhz);
  add("max_sm_clock_mhz", health.max_sm_clock_mhz);
  add("memory_clock_mhz", health.memory_clock_mhz);
  add("memory_used_bytes", health.memory_used_bytes);
  add("uncorrected_ecc_errors", health.uncorrected_ecc_errors);
  add("last_xid", health.last_xid);
  add("fault", health.fault);
  Value::Elements reasons(health.slowed_by.begin(), health.slowed_by.end());
  members.emplace_back("slowed_by", std::move(reasons));
  return members;
}

Value::Members description_of(const DeviceInfo& info) {
  Value::Members device = {{"id", info.id.value},
                           {"kind", to_string(info.kind)},
                           {"name", info.name},
                           {"memory_bytes", info.memory_bytes},
                           {"most_tensor_bytes", info.most_tensor_bytes},
                           {"units", info.units}};
  if (!info.driver.empty()) device.emplace_back("driver", info.driver);
  if (info.kind == DeviceKind::cuda) {
    device.emplace_back("most_kernel_bytes", info.most_kernel_bytes);
    device.emplace_back("uuid", info.uuid);
    device.emplace_back("compute_capability",
                        fmt::format("{}.{}", info.compute.major, info.compute.minor));
  }
  return device;
}

void add_use(const device::DeviceUse& use, Value::Members& device) {
  device.emplace_back("state", use.out_of_service ? "out_of_service" : use.held ? "busy" : "free");
  if (use.out_of_service) device.emplace_back("reason", *use.out_of_service);
  device.emplace_back("waiting", use.waiting);
  device.emplace_back("leases", use.leases);
  device.emplace_back("busy_seconds", seconds_of(use.busy));
}

http::Response devices(Context& context, const Snapshot& snapshot) {
  Value::Elements list;
  for (const DeviceInfo& info : context.dispatcher.devices()) {
    Value::Members device = description_of(info);
    if (const auto state = context.dispatcher.health(info)) {
      device.emplace_back("health", health_of(*state));
    }
    for (const auto& use : snapshot.devices) {
      if (use.device == info.id) add_use(use, device);
    }
    list.push_back(std::move(device));
  }
  const Value body = Value::Members{{"devices", std::move(list)}};
  return http::Response::json(200, body.dump());
}

http::Response metrics(Context&, const Snapshot& snapshot) {
  http::Response response = http::Response::text(200, prometheus_text(snapshot));
  response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  return response;
}

}  // namespace

void add_status_routes(http::Router& router, Context& context) {
  const auto from_snapshot = [&context](auto make) {
    return [&context, make](const http::Request&, http::Responder responder) {
      const auto snapshot = context.dispatcher.snapshot();
      if (snapshot) return responder.send(make(context, *snapshot));
      const Value body =
          Value::Members{{"status", "unhealthy"}, {"error", snapshot.error().message()}};
      responder.send(http::Response::json(500, body.dump()));
    };
  };
  router.add(http::Method::get, "/health", from_snapshot(health));
  router.add(http::Method::get, "/stats", from_snapshot(stats));
  router.add(http::Method::get, "/v1/devices", from_snapshot(devices));
  router.add(http::Method::get, "/metrics", from_snapshot(metrics));
}

}  // namespace assay::api
