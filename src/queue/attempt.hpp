#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "compile/builder.hpp"
#include "device/lease_pool.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/task.hpp"
#include "model/verdict.hpp"
#include "queue/build_both.hpp"
#include "queue/watchdog.hpp"
#include "worker/client.hpp"

namespace assay::queue {

/// What attempts work with. All of it outlives them.
struct AttemptPorts {
  const Clock& clock;
  compile::Builder& builder;
  device::LeasePool& leases;
  Watchdog& watchdog;
  std::string version;  // for the provenance of early verdicts
  /// Builders and workers keep deadlines themselves, and know best what they were doing. The work
  /// is stopped from outside only if they are this late.
  std::chrono::milliseconds grace;
};

/// Stores a step. An error ends the attempt.
using StepSink = std::function<Result<void>(JobStep step, std::string_view detail)>;

/// One attempt at a job, from `building` to its verdict, on one device.
class Attempt {
 public:
  Attempt(const AttemptPorts& ports, worker::Client& client, const Job& job, Request request,
          std::stop_source stop, StepSink sink);

  /// Fails with `cancelled` when stopped, `unavailable` when the worker died, or for another reason
  /// of ours. Running out of time is not a failure but the verdict `timed_out`. The time counts
  /// while it builds, and from when its evaluation has begun. It does not count while it waits.
  [[nodiscard]] Result<Outcome> run();
  /// How long it had the device, so far.
  [[nodiscard]] std::chrono::nanoseconds device_time() const { return device_time_; }

 private:
  /// Makes what builds of this type need. Only the first kernel of its type finds it missing. The
  /// time does not count.
  [[nodiscard]] Result<void> prepare_builds_of(KernelType type);
  [[nodiscard]] Result<std::variant<BuiltPair, Verdict>> build();
  [[nodiscard]] Result<Outcome> build_and_evaluate();
  [[nodiscard]] Result<EvaluationEnd> evaluate(const BuiltPair& pair);
  /// Builds the extensions that an evaluation needs in order to go on. Gives a verdict if they
  /// cannot be built.
  [[nodiscard]] Result<std::optional<Verdict>> extend(BuiltPair& pair, ExtensionsNeeded needed);
  template <class Work>
  [[nodiscard]] auto in_time(const Work& work);
  void spend(std::chrono::nanoseconds time);
  [[nodiscard]] Result<void> step(JobStep step, std::string_view detail = {});
  [[nodiscard]] Alarm stop_after(std::chrono::nanoseconds budget);
  [[nodiscard]] Verdict timed_out() const;
  [[nodiscard]] Outcome early(Verdict verdict) const;
  void complete(Outcome& outcome, const BuiltPair& pair) const;

  const AttemptPorts& ports_;
  worker::Client& client_;
  const Job& job_;
  const Request request_;
  std::stop_source stop_;
  StepSink sink_;
  std::chrono::nanoseconds device_time_{};
  std::chrono::nanoseconds left_;   // of the request's timeout
  std::atomic<JobState> state_;     // steps may come from a thread of the client
  std::atomic<bool> late_ = false;  // the watchdog stopped it
};

}  // namespace assay::queue
