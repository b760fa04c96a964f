#include "worker/process_client.hpp"

#include <chrono>
#include <functional>
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
#include "model/job.hpp"
#include "model/outcome.hpp"
#include "model/task.hpp"
#include "process/exit_status.hpp"
#include "process/frame_channel.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "wire/worker_messages.hpp"
#include "worker/worker.hpp"

namespace assay::worker {
namespace {

constexpr int kChannelDescriptor = 3;
constexpr int kStandardError = 2;
// A worker ends its runners in time by itself; one that is silent for so much longer is broken.
constexpr std::chrono::seconds kGrace{10};

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

Result<void> ProcessClient::ensure_worker() {
  if (worker_ && !worker_->process.poll()) return {};
  worker_.reset();
  ASSAY_TRY(auto ends, process::FrameChannel::pair(kWorkerFrameLimit));
  process::Command command{
      .argv = options_.command,
      .environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
      .descriptors = {{kStandardError, kStandardError}, {ends.second.get(), kChannelDescriptor}}};
  command.environment.insert(command.environment.end(), options_.environment.begin(),
                             options_.environment.end());
  ASSAY_TRY(auto process, process::Subprocess::spawn(command, support_));
  worker_.emplace(std::move(process), std::move(ends.first));
  log_.info("worker", "worker for {} started, pid {}", options_.device.id.value,
            worker_->process.pid());
  return {};
}

Result<Outcome> ProcessClient::evaluate(const Task& task,
                                        const std::function<void(JobStep)>& on_step,
                                        const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  if (auto ready = ensure_worker(); !ready) return std::unexpected(ready.error());
  auto outcome = converse(task, on_step, stop);
  // An error the worker told us of leaves it usable; a broken conversation does not.
  const bool broken = !outcome && (outcome.error().code() == ErrorCode::unavailable ||
                                   outcome.error().code() == ErrorCode::cancelled);
  if (broken) {
    worker_.reset();  // kills it and its runners
    // So that the next task finds one ready; if this fails, that task will say so.
    if (auto ready = ensure_worker(); !ready) {
      log_.error("worker", "no new worker for {}: {}", options_.device.id.value,
                 ready.error().message());
    }
  }
  return outcome;
}

Result<Outcome> ProcessClient::converse(const Task& task,
                                        const std::function<void(JobStep)>& on_step,
                                        const std::stop_token& stop) {
  process::FrameChannel& channel = worker_->channel;
  const Deadline deadline(clock_, task.budget + kGrace);
  const auto broken = [&](const Error& error) -> Result<Outcome> {
    if (error.code() == ErrorCode::cancelled) return std::unexpected(error);
    const auto status = worker_->process.poll();
    return fail(ErrorCode::unavailable,
                fmt::format("the worker of {} {}", options_.device.id.value,
                            status ? process::describe(*status) : error.message()));
  };
  if (auto sent = channel.send(wire::encode_task(task), deadline, stop); !sent) {
    return broken(sent.error());
  }
  while (true) {
    auto text = channel.receive(deadline, stop);
    if (!text) return broken(text.error());
    auto event = wire::decode_event(*text);
    if (!event) return broken(event.error());
    if (const auto* step = std::get_if<JobStep>(&*event)) {
      on_step(*step);
    } else if (auto* error = std::get_if<Error>(&*event)) {
      return std::unexpected(std::move(*error));
    } else {
      return std::get<Outcome>(std::move(*event));
    }
  }
}

}  // namespace assay::worker
