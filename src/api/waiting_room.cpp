#include "api/waiting_room.hpp"

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "api/answers.hpp"
#include "api/compat_result.hpp"
#include "api/context.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "queue/watchdog.hpp"

namespace assay::api {

WaitingRoom::~WaitingRoom() {
  std::map<std::uint64_t, std::shared_ptr<Guest>> leaving;
  {
    const MutexLock lock(mutex_);
    leaving.swap(guests_);
  }
  // Outside the lock: ending a subscription waits for a call that may want it.
  leaving.clear();
}

void WaitingRoom::wait(const JobId& job, http::Responder responder) {
  auto guest = std::make_shared<Guest>();
  guest->job = job;
  guest->responder.emplace(std::move(responder));
  std::uint64_t number = 0;
  bool closed = false;
  {
    const MutexLock lock(mutex_);
    closed = closed_;
    number = next_++;
    if (!closed) guests_.emplace(number, guest);
  }
  if (closed) return guest->responder->send(farewell(job));
  auto subscription = context_.dispatcher.on_finished(
      job, [this, number](const Result<Job>& finished) { finish(number, finished); });
  if (!subscription) return finish(number, std::unexpected(subscription.error()));
  std::unique_ptr<queue::Alarm> alarm(new queue::Alarm(watchdog_.set(
      context_.clock.now() + context_.longest_wait, [this, number] { give_up(number); })));
  const MutexLock lock(mutex_);
  if (!guests_.contains(number)) return;  // answered meanwhile; both end here
  guest->subscription = std::move(*subscription);
  guest->alarm = std::move(alarm);
}

void WaitingRoom::close() {
  std::map<std::uint64_t, std::shared_ptr<Guest>> leaving;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    leaving.swap(guests_);
  }
  for (const auto& [number, guest] : leaving) {
    if (guest->responder) guest->responder->send(farewell(guest->job));
  }
}

http::Response WaitingRoom::farewell(const JobId& id) const {
  // It may have finished without anybody having been told yet.
  if (const auto job = context_.store.get(id); job && is_final(job->state)) {
    return compat_result(*job, context_.host);
  }
  return compat_server_error(
      context_.host, 503,
      fmt::format("The server is stopping; the job goes on when it starts again: ask GET /job/{}",
                  id.value),
      id.value);
}

void WaitingRoom::finish(std::uint64_t number, const Result<Job>& job) {
  const std::shared_ptr<Guest> guest = remove(number);
  if (guest == nullptr || !guest->responder) return;
  guest->responder->send(job ? compat_result(*job, context_.host)
                             : compat_server_error(context_.host, status_of(job.error().code()),
                                                   job.error().message(), guest->job.value));
}

/// Runs on the alarms' own thread, which must not end an alarm: the guest stays until its job
/// has finished.
void WaitingRoom::give_up(std::uint64_t number) {
  std::optional<http::Responder> responder;
  std::string job;
  {
    const MutexLock lock(mutex_);
    const auto found = guests_.find(number);
    if (found == guests_.end()) return;
    std::swap(responder, found->second->responder);
    job = found->second->job.value;
  }
  if (!responder) return;
  responder->send(compat_server_error(
      context_.host, 504,
      fmt::format("Job has not finished within {} seconds; it goes on: ask GET /job/{}",
                  context_.longest_wait.count(), job),
      job));
}

std::shared_ptr<WaitingRoom::Guest> WaitingRoom::remove(std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto found = guests_.find(number);
  if (found == guests_.end()) return nullptr;
  std::shared_ptr<Guest> guest = std::move(found->second);
  guests_.erase(found);
  return guest;
}

}  // namespace assay::api
