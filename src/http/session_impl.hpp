#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include "base/unique_fd.hpp"
#include "http/certificates.hpp"
#include "http/lazy_timer.hpp"
#include "http/live_exchange.hpp"
#include "http/message.hpp"
#include "http/outgoing.hpp"
#include "http/parser.hpp"
#include "http/session.hpp"
#include "http/transport.hpp"

namespace assay::http {

/// The connection behind Connection: reads a request, hands it over, writes the answer, and
/// again. Implemented in session.cpp (reading and ending) and session_answer.cpp.
class Session final : public Connection,
                      public ExchangeOwner,
                      public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::io_context& io, std::string peer, Shared& shared, SessionSet& sessions)
      : shared_(shared),
        sessions_(sessions),
        peer_(std::move(peer)),
        strand_(boost::asio::make_strand(io)),
        transport_(strand_),
        timer_(strand_),
        parser_(limits()),
        buffered_(std::make_shared<BufferedShare>(shared.buffered)),
        answered_(shared.outgoing),
        streaming_(shared.streams) {}

  [[nodiscard]] bool adopt(UniqueFd fd, int family) {
    if (!transport_.adopt(std::move(fd), family)) return false;
    if (shared_.certificates != nullptr) transport_.protect(*shared_.certificates->current());
    return true;
  }

  void queue_start(Admission admission) {
    queue([admission](Session& self) {
      self.set_timeout(self.shared_.options.header_timeout);
      if (self.transport_.is_protected()) return self.shake_hands(admission);
      self.begin(admission);
    });
  }

  // Connection
  void queue_drain() override {
    queue([](Session& self) { self.on_drain(); });
  }
  void queue_close() override {
    queue([](Session& self) { self.close(); });
  }
  void queue_yield() override {
    queue([](Session& self) { self.yield(); });
  }

  // ExchangeOwner
  void queue_answer(Response response) override {
    queue([answer = std::move(response)](Session& self) mutable {
      self.on_answer(std::move(answer));
    });
  }
  void queue_abandoned() override {
    queue([](Session& self) { self.on_abandoned(); });
  }
  void queue_stream(Headers headers) override {
    queue(
        [extra = std::move(headers)](Session& self) mutable { self.on_stream(std::move(extra)); });
  }
  void queue_flush() override {
    queue([](Session& self) { self.flush_stream(); });
  }
  void queue_disconnect() override {
    queue([](Session& self) {
      self.shared_.log.warning("http", "{} does not read its events: disconnected", self.peer_);
      self.close();
    });
  }

 private:
  using IoError = boost::system::error_code;

  enum class Phase : std::uint8_t {
    reading,     // a request, or waiting for one
    continuing,  // writing "100 Continue"
    handling,    // a Responder is out
    writing,     // the answer
    streaming,   // events
    lingering,   // answered; reading what the client still sends, to drop it
    closed,
  };

  /// Never in place: callers may hold locks that the work takes too.
  template <class Work>
  void queue(Work work) {
    boost::asio::post(strand_, [self = shared_from_this(), work = std::move(work)]() mutable {
      if (self->phase_ != Phase::closed) work(*self);
    });
  }

  [[nodiscard]] ParseLimits limits() const {
    return {.max_header = shared_.options.max_header, .max_body = shared_.options.max_body};
  }

  void shake_hands(Admission admission);
  void begin(Admission admission);
  void read_more();
  void on_read(const IoError& error, std::size_t count);
  void on_end_of_input();
  void advance();
  void ask_for_body();
  void next_request();
  [[nodiscard]] bool pass_guard();
  void handle();

  void on_answer(Response response);
  void on_abandoned();
  void on_stream(Headers headers);
  void flush_stream();
  void send_ping();
  [[nodiscard]] bool stream_is_over() const { return LazyTimer::Clock::now() >= stream_until_; }
  void refuse(int status, std::string_view message);
  void refuse(Response response);
  void send_answer(Response response, bool keep_alive);

  void write(std::string head, std::string body);
  void write_more();
  void on_write(const IoError& error, std::size_t count);
  void on_written();

  void set_timeout(std::chrono::nanoseconds from_now);
  void on_timeout();

  void on_drain();
  void release_exchange();
  void finish();
  void say_farewell();
  void yield();
  void close();

  Shared& shared_;
  SessionSet& sessions_;
  std::string peer_;
  Strand strand_;
  Transport transport_;
  LazyTimer timer_;

  Phase phase_ = Phase::reading;
  RequestParser parser_;
  std::array<char, std::size_t{16} << 10U> scratch_;  // where a read under way puts its bytes
  std::string input_;                                 // received, not yet parsed
  bool read_under_way_ = false;
  bool input_ended_ = false;
  bool continue_sent_ = false;
  bool body_begun_ = false;
  bool guard_passed_ = false;
  std::shared_ptr<BufferedShare> buffered_;  // of the request being read; then the request's own

  Method method_ = Method::get;
  std::string path_;  // of the request being answered
  bool close_after_ = false;
  bool refused_ = false;
  std::shared_ptr<LiveExchange> exchange_;  // shared with the Responder or EventStream
  std::stop_source gone_{std::nostopstate};

  LazyTimer::Clock::time_point stream_until_{};
  Outgoing outgoing_;
  BufferedShare answered_;   // of outgoing_
  BufferedShare streaming_;  // 1 while it is a stream
  LazyTimer::Clock::time_point write_until_{};
  bool write_under_way_ = false;
};

}  // namespace assay::http
