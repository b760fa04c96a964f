#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "http/message.hpp"

namespace assay::http {

/// Where an answer goes. A connection of the server is one; a test may bring its own. Every
/// function may be called from any thread.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  Exchange(Exchange&&) = delete;
  Exchange& operator=(Exchange&&) = delete;
  virtual ~Exchange() = default;

  virtual void answer(Response response) = 0;
  /// The Responder died without an answer.
  virtual void abandon() = 0;
  virtual void open_stream(Headers headers) = 0;
  /// Takes an encoded event. False once it cannot reach the client.
  virtual bool push(std::string_view event) = 0;
  virtual void close_stream() = 0;
};

/// An answer made of server-sent events. Closes when destroyed. The server itself sends a comment
/// now and then while nothing else is sent, so that a vanished client is noticed.
class EventStream {
 public:
  explicit EventStream(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  EventStream(EventStream&&) noexcept = default;
  EventStream& operator=(EventStream&& other) noexcept;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() { close(); }

  /// Never waits: events queue up for a slow client. Returns false once the client is gone. A
  /// client that lets more than ServerOptions::max_stream_backlog pile up is disconnected. It can
  /// come back with Last-Event-ID. `id` and `event` may be empty.
  bool send(std::string_view id, std::string_view event, std::string_view data);
  /// Sends what is queued, then ends the answer.
  void close();

 private:
  std::shared_ptr<Exchange> exchange_;  // shared with the connection; null once closed
};

/// The duty to answer one request, now or later, from any thread. Exactly one of send() and
/// stream() must be called, once. If it is destroyed without either, the client gets a 500 and the
/// log a line.
class Responder {
 public:
  explicit Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  Responder(Responder&&) noexcept = default;
  Responder& operator=(Responder&& other) noexcept;
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;
  ~Responder();

  void send(Response response);
  /// Answers 200 with text/event-stream; `headers` are added to it.
  [[nodiscard]] EventStream stream(Headers headers = {});

 private:
  std::shared_ptr<Exchange> exchange_;  // shared with the connection; null once answered
};

/// Runs on a thread that serves every other connection too. So it must return quickly, and pass the
/// Responder on to whoever does the work. An exception that it lets out becomes a 500.
using Handler = std::function<void(Request, Responder)>;

}  // namespace assay::http
