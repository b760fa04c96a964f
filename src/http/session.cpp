#include "http/session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include "base/unique_fd.hpp"
#include "http/live_exchange.hpp"
#include "http/message.hpp"
#include "http/parser.hpp"
#include "http/responder.hpp"
#include "http/socket.hpp"
#include "http/wire_format.hpp"

namespace assay::http {
namespace {

namespace asio = boost::asio;
using IoError = boost::system::error_code;
using SteadyClock = std::chrono::steady_clock;
using Strand = asio::strand<asio::io_context::executor_type>;
using Socket = asio::basic_stream_socket<asio::generic::stream_protocol, Strand>;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Strand>;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kPing = ": ping\n\n";
// How long to go on reading from a client that was answered before it finished sending: closing
// with its bytes unread would reset the connection and could destroy the answer on its way.
constexpr std::chrono::seconds kLinger{30};
constexpr std::chrono::seconds kLingerWhenDraining{1};

class Session final : public Connection,
                      public ExchangeOwner,
                      public std::enable_shared_from_this<Session> {
 public:
  Session(asio::io_context& io, std::string peer, Shared& shared, SessionSet& sessions)
      : shared_(shared),
        sessions_(sessions),
        peer_(std::move(peer)),
        strand_(asio::make_strand(io)),
        socket_(strand_),
        timer_(strand_),
        parser_(limits()) {}

  [[nodiscard]] bool adopt(UniqueFd fd, int family) {
    IoError error;
    socket_.assign(asio::generic::stream_protocol(family, 0), fd.get(), error);
    if (error) return false;
    [[maybe_unused]] const int owned_by_socket = fd.release();
    return true;
  }

  void queue_start(Admission admission) {
    queue([admission](Session& self) {
      if (admission == Admission::serve) {
        self.set_timeout(self.shared_.options.header_timeout);
        self.advance();
      } else {
        self.refuse(503, "the server has as many connections as it takes");
      }
    });
  }

  // Connection
  void queue_drain() override {
    queue([](Session& self) { self.on_drain(); });
  }
  void queue_close() override {
    queue([](Session& self) { self.close(); });
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
    asio::post(strand_, [self = shared_from_this(), work = std::move(work)]() mutable {
      if (self->phase_ != Phase::closed) work(*self);
    });
  }

  [[nodiscard]] ParseLimits limits() const {
    return {.max_header = shared_.options.max_header, .max_body = shared_.options.max_body};
  }

  void read_more();
  void on_read(const IoError& error, std::size_t count);
  void on_end_of_input();
  void advance();
  void ask_for_body();
  void next_request();
  void handle();

  void on_answer(Response response);
  void on_abandoned();
  void on_stream(Headers headers);
  void flush_stream();
  void refuse(int status, std::string_view message);
  void send_answer(Response response, bool keep_alive);

  void write(std::string head, std::string body);
  void write_more();
  void on_write(const IoError& error, std::size_t count);
  void on_written();

  void set_timeout(std::chrono::nanoseconds from_now);
  void arm_timer();
  void on_timeout();

  void on_drain();
  void release_exchange();
  void finish();
  void close();

  Shared& shared_;
  SessionSet& sessions_;
  std::string peer_;
  Strand strand_;
  Socket socket_;
  Timer timer_;
  SteadyClock::time_point deadline_ = SteadyClock::time_point::max();
  bool timer_armed_ = false;

  Phase phase_ = Phase::reading;
  RequestParser parser_;
  std::array<char, std::size_t{16} << 10U> scratch_;  // where a read under way puts its bytes
  std::string input_;                                 // received, not yet parsed
  bool read_under_way_ = false;
  bool input_ended_ = false;
  bool continue_sent_ = false;
  bool body_begun_ = false;

  Method method_ = Method::get;
  std::string path_;  // of the request being answered
  bool close_after_ = false;
  bool refused_ = false;
  std::shared_ptr<LiveExchange> exchange_;  // shared with the Responder or EventStream
  std::stop_source gone_{std::nostopstate};

  std::string head_out_;
  std::string body_out_;
  std::size_t written_ = 0;
  bool write_under_way_ = false;
};

// Reading

void Session::read_more() {
  if (read_under_way_ || input_ended_) return;
  read_under_way_ = true;
  socket_.async_read_some(asio::buffer(scratch_),
                          [self = shared_from_this()](const IoError& error, std::size_t count) {
                            self->on_read(error, count);
                          });
}

void Session::on_read(const IoError& error, std::size_t count) {
  read_under_way_ = false;
  if (phase_ == Phase::closed) return;
  if (error == asio::error::eof) return on_end_of_input();
  if (error) return close();
  switch (phase_) {
    case Phase::reading:
      input_.append(scratch_.data(), count);
      return advance();
    case Phase::streaming:
    case Phase::lingering:
      return read_more();  // nothing that still comes will be answered
    default:
      // A next request sent early. What does not fit waits in the kernel, and holds back its
      // sender.
      input_.append(scratch_.data(), count);
      if (input_.size() < shared_.options.max_header) read_more();
  }
}

void Session::on_end_of_input() {
  input_ended_ = true;
  if (phase_ != Phase::handling && phase_ != Phase::writing) return close();
  gone_.request_stop();  // may still read its answer: see Request::closed
}

void Session::advance() {
  const bool was_started = parser_.started();
  input_.erase(0, parser_.feed(input_));
  if (!was_started && parser_.started()) set_timeout(shared_.options.header_timeout);
  switch (parser_.state()) {
    case ParseState::head:
      break;
    case ParseState::body:
      if (!std::exchange(body_begun_, true)) set_timeout(shared_.options.body_timeout);
      if (parser_.expects_continue() && !continue_sent_ && input_.empty()) return ask_for_body();
      break;
    case ParseState::done:
      return handle();
    case ParseState::refused:
      return refuse(parser_.refusal().status, parser_.refusal().message);
  }
  if (input_ended_) return close();
  read_more();
}

void Session::ask_for_body() {
  continue_sent_ = true;
  phase_ = Phase::continuing;
  write(std::string(kContinue), {});
}

void Session::next_request() {
  phase_ = Phase::reading;
  parser_ = RequestParser(limits());
  continue_sent_ = false;
  body_begun_ = false;
  if (input_.empty() && (shared_.draining || input_ended_)) return finish();
  set_timeout(shared_.options.idle_timeout);
  advance();
}

void Session::handle() {
  phase_ = Phase::handling;
  deadline_ = SteadyClock::time_point::max();
  Request request = parser_.take();
  method_ = request.method;
  path_ = request.path;
  request.peer = peer_;
  gone_ = std::stop_source();
  if (input_ended_) gone_.request_stop();
  request.closed = gone_.get_token();
  exchange_ = std::make_shared<LiveExchange>(*this, shared_.options.max_stream_backlog);
  if (input_.size() < shared_.options.max_header) read_more();  // to notice a client that leaves
  try {
    shared_.router.route(std::move(request), Responder(exchange_));
  } catch (const std::exception& thrown) {
    // The Responder, dying as the exception passed, has queued the 500.
    shared_.log.error("http", "handler of {} {} threw: {}", to_string(method_), path_,
                      thrown.what());
  } catch (...) {
    shared_.log.error("http", "handler of {} {} threw", to_string(method_), path_);
  }
}

// Answering

void Session::on_answer(Response response) {
  if (phase_ != Phase::handling) return;
  send_answer(std::move(response), parser_.keep_alive() && !shared_.draining);
}

void Session::on_abandoned() {
  shared_.log.error("http", "{} {} was left unanswered", to_string(method_), path_);
  on_answer(shared_.router.error_response(500, "the request was left unanswered", path_));
}

void Session::refuse(int status, std::string_view message) {
  refused_ = true;
  const Request& request = parser_.request();
  method_ = request.method;
  path_ = request.path;
  Response response = shared_.router.error_response(status, message, request.path);
  if (status == 503) response.headers.set("Retry-After", "1");
  send_answer(std::move(response), false);
}

void Session::send_answer(Response response, bool keep_alive) {
  release_exchange();
  phase_ = Phase::writing;
  close_after_ = !keep_alive;
  const auto hundreds = static_cast<std::size_t>(std::clamp(response.status / 100, 0, 5));
  shared_.answers.at(hundreds).fetch_add(1, std::memory_order_relaxed);
  shared_.log.debug("http", "{} {} {} {}", peer_, to_string(method_), path_, response.status);
  std::string head = encode_head(
      response, {.http_1_1 = parser_.is_http_1_1(), .keep_alive = keep_alive, .chunked = false});
  if (method_ == Method::head || !status_has_body(response.status)) response.body.clear();
  write(std::move(head), std::move(response.body));
}

void Session::on_stream(Headers headers) {
  if (phase_ != Phase::handling) return;
  Response response{.status = 200, .headers = std::move(headers), .body = {}};
  response.headers.set("Content-Type", "text/event-stream");
  response.headers.set("Cache-Control", "no-cache");
  shared_.answers[2].fetch_add(1, std::memory_order_relaxed);
  close_after_ = true;
  const bool head_only = method_ == Method::head;
  if (head_only) release_exchange();
  phase_ = head_only ? Phase::writing : Phase::streaming;
  if (input_ended_) return close();  // a stream to one who has stopped listening never ends
  write(encode_head(response,
                    {.http_1_1 = parser_.is_http_1_1(), .keep_alive = false, .chunked = true}),
        {});
  read_more();
}

void Session::flush_stream() {
  if (phase_ != Phase::streaming || write_under_way_) return;
  LiveExchange::Backlog backlog = exchange_->take_backlog();
  const bool chunked = parser_.is_http_1_1();
  std::string bytes;
  if (!backlog.bytes.empty()) {
    bytes = chunked ? encode_chunk(backlog.bytes) : std::move(backlog.bytes);
  }
  if (backlog.last) {
    if (chunked) bytes += kLastChunk;
    release_exchange();
    phase_ = Phase::writing;
    if (bytes.empty()) return finish();
  }
  if (bytes.empty()) return set_timeout(shared_.options.ping_interval);
  write(std::move(bytes), {});
}

// Writing

void Session::write(std::string head, std::string body) {
  head_out_ = std::move(head);
  body_out_ = std::move(body);
  written_ = 0;
  write_under_way_ = true;
  write_more();
}

void Session::write_more() {
  set_timeout(shared_.options.write_timeout);
  const std::size_t of_head = std::min(written_, head_out_.size());
  const std::array<asio::const_buffer, 2> rest = {asio::buffer(head_out_) + of_head,
                                                  asio::buffer(body_out_) + (written_ - of_head)};
  socket_.async_write_some(rest,
                           [self = shared_from_this()](const IoError& error, std::size_t count) {
                             self->on_write(error, count);
                           });
}

void Session::on_write(const IoError& error, std::size_t count) {
  if (phase_ == Phase::closed) return;
  if (error) return close();
  written_ += count;
  if (written_ < head_out_.size() + body_out_.size()) return write_more();
  write_under_way_ = false;
  head_out_.clear();
  body_out_ = {};  // gives back what a large answer took
  on_written();
}

void Session::on_written() {
  switch (phase_) {
    case Phase::continuing:
      phase_ = Phase::reading;
      set_timeout(shared_.options.body_timeout);
      return advance();
    case Phase::streaming:
      return flush_stream();
    case Phase::writing:
      return close_after_ ? finish() : next_request();
    default:
      return;
  }
}

// Time. The timer is left running when the deadline moves away, as it does with every request,
// and looks at the deadline when it fires.

void Session::set_timeout(std::chrono::nanoseconds from_now) {
  deadline_ = SteadyClock::now() + from_now;
  if (!timer_armed_ || deadline_ < timer_.expiry()) arm_timer();
}

void Session::arm_timer() {
  timer_armed_ = true;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const IoError& error) {
    if (error || self->phase_ == Phase::closed) return;
    self->timer_armed_ = false;
    if (self->deadline_ == SteadyClock::time_point::max()) return;
    if (SteadyClock::now() < self->deadline_) return self->arm_timer();
    self->on_timeout();
  });
}

void Session::on_timeout() {
  if (phase_ == Phase::streaming && !write_under_way_) {
    std::string ping(kPing);
    return write(parser_.is_http_1_1() ? encode_chunk(ping) : std::move(ping), {});
  }
  if (phase_ == Phase::reading && parser_.started()) {
    return refuse(408, "the request took too long to arrive");
  }
  close();
}

// Ending

void Session::on_drain() {
  IoError ignored;
  switch (phase_) {
    case Phase::reading:
      if (!parser_.started() && socket_.available(ignored) == 0) close();
      return;
    case Phase::streaming:
      gone_.request_stop();
      if (phase_ == Phase::streaming) exchange_->close_stream();
      return;
    case Phase::lingering:
      return set_timeout(kLingerWhenDraining);
    default:
      return;  // answered with "Connection: close" when the time comes
  }
}

void Session::release_exchange() {
  if (exchange_ == nullptr) return;
  exchange_->detach();
  exchange_ = nullptr;
}

void Session::finish() {
  IoError ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  const bool may_send_more =
      refused_ || shared_.draining || !input_.empty() || socket_.available(ignored) > 0;
  if (input_ended_ || !may_send_more) return close();
  phase_ = Phase::lingering;
  input_ = {};
  set_timeout(shared_.draining ? kLingerWhenDraining : kLinger);
  read_more();
}

void Session::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  IoError ignored;
  socket_.close(ignored);
  timer_.cancel();
  release_exchange();
  sessions_.remove(this);
  gone_.request_stop();
}

}  // namespace

void start_session(asio::io_context& io, Accepted accepted, Admission admission, Shared& shared,
                   SessionSet& sessions) {
  auto session = std::make_shared<Session>(io, std::move(accepted.peer), shared, sessions);
  if (!session->adopt(std::move(accepted.fd), accepted.family)) return;
  sessions.add(session);
  session->queue_start(admission);
}

}  // namespace assay::http
