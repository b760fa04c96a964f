#include "queue/attempt.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <expected>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "device/lease_pool.hpp"
#include "model/artifact.hpp"
#include "model/device_info.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"
#include "queue/build_both.hpp"
#include "queue/watchdog.hpp"
#include "worker/client.hpp"

namespace assay::queue {
namespace {

// Compiling torch's headers beforehand takes a minute of two idle cores.
constexpr std::chrono::minutes kTimeToPrepare{10};

/// Named by whose they are. A backend that makes none does not say so.
void add_artifacts(std::vector<Artifact>& all, std::string_view whose,
                   const WantedArtifacts& wanted, const BuiltKernel& built) {
  const auto add = [&](std::string_view name) {
    const auto found = std::ranges::find(built.artifacts, name, &Artifact::name);
    Artifact artifact =
        found == built.artifacts.end() ? Artifact{.absent = "only code for a GPU has it"} : *found;
    artifact.name = fmt::format("{}.{}", whose, name);
    all.push_back(std::move(artifact));
  };
  if (wanted.ptx) add("ptx");
  if (wanted.sass) add("sass");
}

}  // namespace

Attempt::Attempt(const AttemptPorts& ports, worker::Client& client, const Job& job, Request request,
                 std::stop_source stop, StepSink sink)
    : ports_(ports),
      client_(client),
      job_(job),
      request_(std::move(request)),
      stop_(std::move(stop)),
      sink_(std::move(sink)),
      left_(request_.timeout),
      state_(job.state) {}

Result<Outcome> Attempt::run() {
  auto built = build();
  if (!built && late_) return early(timed_out());
  if (!built) return std::unexpected(std::move(built).error());
  if (const auto* verdict = std::get_if<Verdict>(&*built)) {
    // The builder knows only its own deadline.
    return early(std::holds_alternative<TimedOut>(*verdict) ? timed_out() : *verdict);
  }
  auto outcome = evaluate(std::get<BuiltPair>(*built));
  if (!outcome && late_) return early(timed_out());
  return outcome;
}

Result<void> Attempt::prepare_builds() {
  const Deadline deadline(ports_.clock, kTimeToPrepare);
  const DeviceKind device = client_.device().kind;
  if (request_.reference) {
    auto ready =
        ports_.builder.prepare(request_.reference->type, device, deadline, stop_.get_token());
    if (!ready) return ready;
  }
  return ports_.builder.prepare(request_.candidate.type, device, deadline, stop_.get_token());
}

Result<std::variant<BuiltPair, Verdict>> Attempt::build() {
  if (auto ready = prepare_builds(); !ready) return std::unexpected(std::move(ready).error());
  const Deadline deadline(ports_.clock, left_);
  const SteadyTime begun = ports_.clock.now();
  const Alarm alarm = stop_after(left_);
  auto built =
      build_both(ports_.builder, request_, client_.device().kind, deadline, stop_.get_token());
  left_ = std::max(left_ - (ports_.clock.now() - begun), std::chrono::nanoseconds(1));
  return built;
}

Result<Outcome> Attempt::evaluate(const BuiltPair& pair) {
  if (auto stored = step(JobStep::built); !stored) {
    return std::unexpected(std::move(stored).error());
  }
  const DeviceInfo& device = client_.device();
  ASSAY_TRY(const device::Lease lease,
            ports_.leases.acquire(device.id, job_.priority, stop_.get_token()));
  if (auto stored = step(JobStep::leased, device.id.value); !stored) {
    return std::unexpected(std::move(stored).error());
  }
  Mutex mutex;
  std::optional<Error> unstored;
  std::atomic<bool> begun = false;
  Alarm alarm = ports_.watchdog.set(ports_.clock.now() + kTimeToBegin + ports_.grace, [&] {
    late_ = begun.load();  // a device that does not begin is at fault itself
    stop_.request_stop();
  });
  const EvaluationListener listener{.begun =
                                        [&] {
                                          begun = true;
                                          alarm.reset(ports_.clock.now() + left_ + ports_.grace);
                                        },
                                    .step =
                                        [&](JobStep taken) {
                                          auto stored = step(taken);
                                          if (stored) return;
                                          const MutexLock lock(mutex);
                                          unstored = std::move(stored).error();
                                          stop_.request_stop();
                                        }};
  const worker::Task task{.job = job_.id,
                          .form = job_.form,
                          .body = job_.body,
                          .reference = pair.reference,
                          .candidate = pair.candidate,
                          .budget = left_};
  auto outcome = client_.evaluate(task, listener, stop_.get_token());
  if (outcome) complete(*outcome, pair);
  const MutexLock lock(mutex);
  if (!outcome && unstored) return std::unexpected(*std::move(unstored));
  return outcome;
}

Result<void> Attempt::step(JobStep step, std::string_view detail) {
  if (const auto state = next_state(state_, step)) state_ = *state;
  return sink_(step, detail);
}

Alarm Attempt::stop_after(std::chrono::nanoseconds budget) {
  return ports_.watchdog.set(ports_.clock.now() + budget + ports_.grace, [this] {
    late_ = true;
    stop_.request_stop();
  });
}

Verdict Attempt::timed_out() const {
  return TimedOut{.limit = request_.timeout, .phase = std::string(to_string(state_.load()))};
}

Outcome Attempt::early(Verdict verdict) const {
  const DeviceInfo& device = client_.device();
  return {.verdict = std::move(verdict),
          .provenance = {.device = device.id,
                         .device_name = device.name,
                         .driver = device.driver,
                         .assay_version = ports_.version}};
}

/// What only this side knows: the builds, and the limit that the budget was a part of.
void Attempt::complete(Outcome& outcome, const BuiltPair& pair) const {
  outcome.provenance.candidate_compiler = pair.candidate.compiler;
  outcome.provenance.candidate_cache_hit = pair.candidate.cache_hit;
  if (pair.reference) {
    outcome.provenance.reference_compiler = pair.reference->compiler;
    outcome.provenance.reference_cache_hit = pair.reference->cache_hit;
    add_artifacts(outcome.artifacts, "reference", request_.reference->artifacts, *pair.reference);
  }
  add_artifacts(outcome.artifacts, "candidate", request_.candidate.artifacts, pair.candidate);
  if (auto* late = std::get_if<TimedOut>(&outcome.verdict)) {
    late->limit = request_.timeout;
    if (late->phase.empty()) late->phase = to_string(state_.load());
  }
}

}  // namespace assay::queue
