#include "queue/attempt.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <expected>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "device/lease_pool.hpp"
#include "model/artifact.hpp"
#include "model/device_info.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"
#include "queue/build_both.hpp"
#include "queue/explain.hpp"
#include "queue/watchdog.hpp"
#include "worker/client.hpp"

namespace assay::queue {
namespace {

constexpr std::uintmax_t kLargestArtifact = std::uintmax_t{128} << 20U;
// Compiling torch's headers beforehand takes a minute of two idle cores.
constexpr std::chrono::minutes kTimeToPrepare{10};
// Looking whether it is there takes less, on a busy machine too.
constexpr std::chrono::milliseconds kSilentWait{2000};

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

// Each costs a whole evaluation. A kernel that asks for something else whenever it runs never ends.
constexpr int kMostRebuilds = 8;

std::string names_of(const std::vector<ExtensionCall>& calls) {
  std::string names;
  for (const ExtensionCall& call : calls) names += (names.empty() ? "" : ", ") + call.name;
  return names;
}

Verdict asks_for_ever(const ExtensionsNeeded& needed) {
  const Unsupported verdict{
      .reason = fmt::format(
          "each time the kernel runs, it asks load_inline or load for something new. After {} "
          "evaluations '{}' is still missing",
          kMostRebuilds + 1, names_of(needed.calls))};
  return needed.for_reference ? as_reference_failure(verdict) : Verdict(verdict);
}

void add(BuiltKernel& kernel, BuiltKernel extensions) {
  kernel.extensions.push_back(std::move(extensions.module));
  kernel.support_dir = std::move(extensions.support_dir);
  kernel.compiler = std::move(extensions.compiler);
  kernel.log += extensions.log;
  kernel.cache_hit = kernel.cache_hit && extensions.cache_hit;
  kernel.elapsed += extensions.elapsed;
}

/// What the worker left as a file, which the store takes over as the artifact's text.
void take_files(std::vector<Artifact>& artifacts) {
  for (Artifact& artifact : artifacts) {
    if (artifact.file.empty()) continue;
    auto bytes = read_file(artifact.file, kLargestArtifact);
    std::error_code ignored;
    std::filesystem::remove(artifact.file, ignored);
    artifact.file.clear();
    if (bytes) {
      artifact.bytes = bytes->size();
      artifact.text = *std::move(bytes);
    } else {
      artifact.absent = bytes.error().message();
    }
  }
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
  auto outcome = build_and_evaluate();
  if (!outcome && late_) return early(timed_out());
  return outcome;
}

/// Evaluates again, with fresh runners and inputs, as long as kernels ask for more to be built.
Result<Outcome> Attempt::build_and_evaluate() {
  ASSAY_TRY(auto built, build());
  if (const auto* verdict = std::get_if<Verdict>(&built)) return early(*verdict);
  auto& pair = std::get<BuiltPair>(built);
  for (int rebuilds = 0;; ++rebuilds) {
    ASSAY_TRY(EvaluationEnd end, evaluate(pair));
    if (auto* outcome = std::get_if<Outcome>(&end)) return std::move(*outcome);
    auto& needed = std::get<ExtensionsNeeded>(end);
    std::optional<Verdict> verdict;
    if (rebuilds == kMostRebuilds) {
      verdict = asks_for_ever(needed);
    } else {
      ASSAY_TRY(verdict, extend(pair, std::move(needed)));
    }
    if (!verdict) continue;
    Outcome outcome = early(*std::move(verdict));
    complete(outcome, pair);
    return outcome;
  }
}

Result<void> Attempt::prepare_builds_of(KernelType type) {
  const DeviceKind device = client_.device().kind;
  const auto prepare = [&](std::chrono::nanoseconds within) {
    return ports_.builder.prepare(type, device, Deadline(ports_.clock, within), stop_.get_token());
  };
  const std::string what = ports_.builder.preparation(type, device);
  if (what.empty()) return prepare(kTimeToPrepare);
  auto ready = prepare(kSilentWait);
  if (ready || ready.error().code() != ErrorCode::unavailable) return ready;
  if (auto stored = step(JobStep::prepare, what); !stored) return stored;
  return prepare(kTimeToPrepare);
}

/// Does what counts as the request's time.
template <class Work>
auto Attempt::in_time(const Work& work) {
  const Deadline deadline(ports_.clock, left_);
  const SteadyTime begun = ports_.clock.now();
  const Alarm alarm = stop_after(left_);
  auto done = work(deadline);
  spend(ports_.clock.now() - begun);
  return done;
}

void Attempt::spend(std::chrono::nanoseconds time) {
  left_ = std::max(left_ - time, std::chrono::nanoseconds(1));
}

Result<std::variant<BuiltPair, Verdict>> Attempt::build() {
  for (const Kernel* kernel :
       {request_.reference ? &*request_.reference : nullptr, &request_.candidate}) {
    if (kernel == nullptr) continue;
    if (auto ready = prepare_builds_of(kernel->type); !ready) {
      return std::unexpected(std::move(ready).error());
    }
  }
  return in_time([&](const Deadline& deadline) {
    return build_both(ports_.builder, request_, client_.device().kind, deadline, stop_.get_token());
  });
}

Result<std::optional<Verdict>> Attempt::extend(BuiltPair& pair, ExtensionsNeeded needed) {
  if (auto stored = step(JobStep::rebuild, "asked for " + names_of(needed.calls)); !stored) {
    return std::unexpected(std::move(stored).error());
  }
  if (auto ready = prepare_builds_of(KernelType::torch_cuda); !ready) {
    return std::unexpected(std::move(ready).error());
  }
  const Kernel& kernel = needed.for_reference ? request_.reference.value() : request_.candidate;
  for (ExtensionCall& call : needed.calls) call.instrumented = kernel.instrumented;
  ASSAY_TRY(compile::BuildOutcome outcome, in_time([&](const Deadline& deadline) {
              return ports_.builder.build_extensions(needed.calls, client_.device().kind, deadline,
                                                     stop_.get_token());
            }));
  if (const auto* verdict = std::get_if<Verdict>(&outcome)) {
    return needed.for_reference ? reference_verdict(*verdict) : *verdict;
  }
  add(needed.for_reference ? pair.reference.value() : pair.candidate,
      std::get<BuiltKernel>(std::move(outcome)));
  return std::nullopt;
}

Result<EvaluationEnd> Attempt::evaluate(const BuiltPair& pair) {
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
  SteadyTime began;
  Alarm alarm = ports_.watchdog.set(ports_.clock.now() + kTimeToBegin + ports_.grace, [&] {
    late_ = begun.load();  // a device that does not begin is at fault itself
    stop_.request_stop();
  });
  const auto store = [&](JobStep taken, std::string_view detail) {
    auto stored = step(taken, detail);
    if (stored) return;
    const MutexLock lock(mutex);
    unstored = std::move(stored).error();
    stop_.request_stop();
  };
  const EvaluationListener listener{
      .begun =
          [&] {
            if (!begun) began = ports_.clock.now();
            begun = true;
            alarm.reset(ports_.clock.now() + left_ + ports_.grace);
          },
      .step = [&](JobStep taken) { store(taken, {}); },
      .progress = [&](const TaskProgress& progress) { store(JobStep::advance, progress.detail); }};
  const worker::Task task{.job = job_.id,
                          .form = job_.form,
                          .body = job_.body,
                          .reference = pair.reference,
                          .candidate = pair.candidate,
                          .budget = left_};
  const SteadyTime leased = ports_.clock.now();
  auto end = client_.evaluate(task, listener, stop_.get_token());
  device_time_ += ports_.clock.now() - leased;
  if (begun) spend(ports_.clock.now() - began);
  if (end) {
    if (auto* outcome = std::get_if<Outcome>(&*end)) complete(*outcome, pair);
  }
  const MutexLock lock(mutex);
  if (!end && unstored) return std::unexpected(*std::move(unstored));
  return end;
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
  if (std::holds_alternative<TimedOut>(verdict))
    verdict = timed_out();  // builders know only theirs
  return {.verdict = std::move(verdict),
          .provenance = {.device = device.id,
                         .device_name = device.name,
                         .driver = device.driver,
                         .assay_version = ports_.version}};
}

/// What only this side knows: the builds, the device's clocks, and the limit that the budget was a
/// part of.
void Attempt::complete(Outcome& outcome, const BuiltPair& pair) const {
  const DeviceInfo& device = client_.device();
  for (auto* const timing : {&outcome.candidate_timing, &outcome.reference_timing}) {
    if (*timing && device.kind == DeviceKind::cuda) (*timing)->clocks_locked = device.clocks_locked;
  }
  outcome.provenance.candidate_compiler = pair.candidate.compiler;
  outcome.provenance.candidate_build_log = pair.candidate.log;
  outcome.provenance.candidate_cache_hit = pair.candidate.cache_hit;
  if (pair.reference) {
    outcome.provenance.reference_compiler = pair.reference->compiler;
    outcome.provenance.reference_build_log = pair.reference->log;
    outcome.provenance.reference_cache_hit = pair.reference->cache_hit;
    add_artifacts(outcome.artifacts, "reference", request_.reference->artifacts, *pair.reference);
  }
  add_artifacts(outcome.artifacts, "candidate", request_.candidate.artifacts, pair.candidate);
  explain(outcome, request_, client_.device().kind);
  take_files(outcome.artifacts);
  if (auto* late = std::get_if<TimedOut>(&outcome.verdict)) {
    late->limit = request_.timeout;
    if (late->phase.empty()) late->phase = to_string(state_.load());
  }
}

}  // namespace assay::queue
