#include "worker/process_client.hpp"

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/extension.hpp"
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/task.hpp"
#include "process/cgroup_tree.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "wire/worker_messages.hpp"
#include "worker/client.hpp"
#include "worker/worker.hpp"

namespace assay::worker {
namespace {

constexpr int kChannelDescriptor = 3;
constexpr int kStandardError = 2;
// A worker ends its runners in time by itself; one that is silent for so much longer is broken.
constexpr std::chrono::seconds kGrace{10};
// Killing runners takes milliseconds; more is spent by a worker that copies or compares gigabytes.
constexpr std::chrono::seconds kTimeToStop{2};

}  // namespace

Result<std::unique_ptr<ProcessClient>> ProcessClient::start(ProcessClientOptions options,
                                                            const process::JailSupport& support,
                                                            const Clock& clock, const Log& log) {
  std::unique_ptr<ProcessClient> client(new ProcessClient(std::move(options), support, clock, log));
  {
    const MutexLock lock(client->mutex_);
    if (auto ready = client->ensure_worker(); !ready) return std::unexpected(ready.error());
  }
  return client;
}

ProcessClient::~ProcessClient() {
  const MutexLock lock(mutex_);
  end_worker();
}

void ProcessClient::end_worker() {
  if (!worker_) return;
  worker_.reset();  // kills it and its runners, so nobody else removes the runners' groups
  process::sweep_dead_groups(support_.cgroups);
}

Result<void> ProcessClient::ensure_worker() {
  if (worker_ && !worker_->process.poll()) return {};
  end_worker();
  ASSAY_TRY(auto ends, process::FrameChannel::pair(kWorkerFrameLimit));
  process::Command command{
      .argv = options_.command,
      .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
      .descriptors = {{kStandardError, kStandardError}, {ends.second.get(), kChannelDescriptor}},
      .memory_bytes = options_.memory_bytes};
  command.environment.insert(command.environment.end(), options_.environment.begin(),
                             options_.environment.end());
  ASSAY_TRY(auto process, process::Subprocess::spawn(command, support_));
  worker_.emplace(std::move(process), std::move(ends.first));
  log_.info("worker", "worker for {} started, pid {}", options_.device.id.value,
            worker_->process.pid());
  return {};
}

Result<EvaluationEnd> ProcessClient::evaluate(const Task& task, const EvaluationListener& listener,
                                              const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  if (auto ready = ensure_worker(); !ready) return std::unexpected(ready.error());
  auto answer = converse(task, listener, stop);
  if (answer) {
    if (auto* error = std::get_if<Error>(&*answer)) return std::unexpected(std::move(*error));
    return std::get<EvaluationEnd>(std::move(*answer));
  }
  Error error = std::move(answer).error();
  auto status = worker_->process.poll();
  if (!status && error.code() == ErrorCode::unavailable) {  // its end of the channel goes first
    if (auto ended = worker_->process.wait({}, Deadline(clock_, kTimeToStop))) status = *ended;
  }
  if (error.code() != ErrorCode::cancelled) {
    // One that took too much memory is no fault of the device.
    const bool greedy = status && std::holds_alternative<process::OverMemory>(*status);
    error = Error(greedy ? ErrorCode::resource_exhausted : ErrorCode::unavailable,
                  fmt::format("the worker of {} {}", options_.device.id.value,
                              status ? process::describe(*status) : error.message()));
  }
  log_.warning("worker", "replacing the worker of {}: {}", options_.device.id.value,
               error.message());
  end_worker();
  // So that the next task finds one ready; if this fails, that task will say so.
  if (auto ready = ensure_worker(); !ready) {
    log_.error("worker", "no new worker for {}: {}", options_.device.id.value,
               ready.error().message());
  }
  return std::unexpected(std::move(error));
}

Result<ProcessClient::Answer> ProcessClient::converse(const Task& task,
                                                      const EvaluationListener& listener,
                                                      const std::stop_token& stop) {
  const Deadline to_begin(clock_, kTimeToBegin + kGrace);
  auto sent = worker_->channel.send(wire::encode_order(task), to_begin, stop);
  if (!sent) return std::unexpected(std::move(sent).error());
  auto answer = listen(to_begin, task.budget, listener, stop);
  if (answer || answer.error().code() != ErrorCode::cancelled) return answer;
  // It keeps what it has made ready only if it ends the task by itself.
  const Deadline to_stop(clock_, kTimeToStop);
  if (!worker_->channel.send(wire::encode_order(StopTask{}), to_stop)) return answer;
  auto last = listen(to_stop, kTimeToStop, listener, {});
  return last ? std::move(last) : std::move(answer);
}

Result<ProcessClient::Answer> ProcessClient::listen(Deadline deadline,
                                                    std::chrono::nanoseconds budget,
                                                    const EvaluationListener& listener,
                                                    const std::stop_token& stop) {
  while (true) {
    ASSAY_TRY(const std::string text, worker_->channel.receive(deadline, stop));
    ASSAY_TRY(WorkerEvent event, wire::decode_event(text));
    if (std::holds_alternative<TaskBegun>(event)) {
      deadline = Deadline(clock_, budget + kGrace);
      listener.begun();
    } else if (const auto* step = std::get_if<JobStep>(&event)) {
      listener.step(*step);
    } else if (const auto* progress = std::get_if<TaskProgress>(&event)) {
      listener.progress(*progress);
    } else if (auto* error = std::get_if<Error>(&event)) {
      return std::move(*error);
    } else if (auto* needed = std::get_if<ExtensionsNeeded>(&event)) {
      return EvaluationEnd(std::move(*needed));
    } else {
      return EvaluationEnd(std::get<Outcome>(std::move(event)));
    }
  }
}

}  // namespace assay::worker
