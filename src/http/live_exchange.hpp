#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "http/message.hpp"
#include "http/responder.hpp"

namespace assay::http {

/// What a connection offers to the thread that answers it. Each call only queues work for the
/// connection's own strand and never runs it in place.
class ExchangeOwner {
 public:
  ExchangeOwner() = default;
  ExchangeOwner(const ExchangeOwner&) = delete;
  ExchangeOwner& operator=(const ExchangeOwner&) = delete;
  ExchangeOwner(ExchangeOwner&&) = delete;
  ExchangeOwner& operator=(ExchangeOwner&&) = delete;

  virtual void queue_answer(Response response) = 0;
  virtual void queue_abandoned() = 0;
  virtual void queue_stream(Headers headers) = 0;
  virtual void queue_flush() = 0;
  virtual void queue_disconnect() = 0;

 protected:
  ~ExchangeOwner() = default;
};

/// Ties one request's Responder to its connection. Either of the two may die first: the connection
/// detaches before it closes, and from then on every call here does nothing.
class LiveExchange final : public Exchange {
 public:
  LiveExchange(ExchangeOwner& owner, std::size_t max_backlog)
      : owner_(&owner), max_backlog_(max_backlog) {}

  void answer(Response response) override;
  void abandon() override;
  void open_stream(Headers headers) override;
  bool push(std::string_view event) override;
  void close_stream() override;

  // For the connection:
  struct Backlog {
    std::string bytes;
    bool last = false;  // nothing follows
  };
  [[nodiscard]] Backlog take_backlog();
  void detach();

 private:
  Mutex mutex_;
  ExchangeOwner* owner_ ASSAY_GUARDED_BY(mutex_);  // null once detached
  std::string backlog_ ASSAY_GUARDED_BY(mutex_);
  bool flush_queued_ ASSAY_GUARDED_BY(mutex_) = false;
  bool ended_ ASSAY_GUARDED_BY(mutex_) = false;
  const std::size_t max_backlog_;
};

}  // namespace assay::http
