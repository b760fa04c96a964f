#include "worker/inbox.hpp"

#include <chrono>
#include <expected>
#include <stop_token>
#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/task.hpp"
#include "process/frame_channel.hpp"
#include "wire/worker_messages.hpp"

namespace assay::worker {
namespace {

constexpr std::chrono::hours kForever{24 * 365};  // the server decides how long we live

}  // namespace

Inbox::Inbox(process::FrameChannel& channel)
    : channel_(channel), listener_([this](const std::stop_token& stop) { listen(stop); }) {}

Result<OrderedTask> Inbox::next() {
  const MutexLock lock(mutex_);
  changed_.wait(mutex_, [this] {
    mutex_.assert_held();
    return !waiting_.empty() || closed_;
  });
  if (waiting_.empty()) return std::unexpected(*closed_);
  OrderedTask task = std::move(waiting_.front());
  waiting_.pop_front();
  return task;
}

void Inbox::listen(const std::stop_token& stop) {
  const SystemClock clock;
  while (true) {
    const auto text = channel_.receive(Deadline(clock, kForever), stop);
    auto order = text ? wire::decode_order(*text) : std::unexpected(text.error());
    const MutexLock lock(mutex_);
    if (order) {
      take(*std::move(order));
    } else {
      closed_ = std::move(order).error();
      latest_.request_stop();  // nobody is left to hear of it
    }
    changed_.notify_all();
    if (closed_) return;
  }
}

/// A stop that comes when its task has ended finds nothing to stop: the server sends the next task
/// only afterwards.
void Inbox::take(WorkerOrder order) {
  auto* task = std::get_if<EvaluationTask>(&order);
  if (task == nullptr) {
    latest_.request_stop();
    return;
  }
  latest_ = std::stop_source();
  waiting_.push_back({.task = std::move(*task), .stop = latest_.get_token()});
}

}  // namespace assay::worker
