#include "http/live_exchange.hpp"

#include <string_view>
#include <utility>

#include "base/mutex.hpp"
#include "http/message.hpp"

namespace assay::http {

void LiveExchange::answer(Response response) {
  const MutexLock lock(mutex_);
  if (owner_ != nullptr) owner_->queue_answer(std::move(response));
}

void LiveExchange::abandon() {
  const MutexLock lock(mutex_);
  if (owner_ != nullptr) owner_->queue_abandoned();
}

void LiveExchange::open_stream(Headers headers) {
  const MutexLock lock(mutex_);
  if (owner_ != nullptr) owner_->queue_stream(std::move(headers));
}

bool LiveExchange::push(std::string_view event) {
  const MutexLock lock(mutex_);
  if (owner_ == nullptr || ended_) return false;
  if (backlog_.size() + event.size() > max_backlog_) {
    ended_ = true;
    owner_->queue_disconnect();
    return false;
  }
  backlog_ += event;
  if (!std::exchange(flush_queued_, true)) owner_->queue_flush();
  return true;
}

void LiveExchange::close_stream() {
  const MutexLock lock(mutex_);
  if (owner_ == nullptr || std::exchange(ended_, true)) return;
  if (!std::exchange(flush_queued_, true)) owner_->queue_flush();
}

LiveExchange::Backlog LiveExchange::take_backlog() {
  const MutexLock lock(mutex_);
  flush_queued_ = false;
  return {.bytes = std::exchange(backlog_, {}), .last = ended_};
}

void LiveExchange::detach() {
  const MutexLock lock(mutex_);
  owner_ = nullptr;
}

}  // namespace assay::http
