#include "http/session.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>

#include "http/live_exchange.hpp"
#include "http/message.hpp"
#include "http/parser.hpp"
#include "http/responder.hpp"
#include "http/session_impl.hpp"
#include "http/socket.hpp"

namespace assay::http {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
// How long to go on reading from a client that was answered before it finished sending: closing
// with its bytes unread would reset the connection and could destroy the answer on its way.
constexpr std::chrono::seconds kLinger{30};
constexpr std::chrono::seconds kLingerWhenDraining{1};
constexpr std::chrono::seconds kFarewell{1};

}  // namespace

void Session::shake_hands(Admission admission) {
  transport_.async_handshake([self = shared_from_this(), admission](const IoError& error) {
    if (self->phase_ == Phase::closed) return;
    if (!error) return self->begin(admission);
    self->shared_.log.debug("http", "{} does not speak TLS with us: {}", self->peer_,
                            error.message());
    self->close();
  });
}

void Session::begin(Admission admission) {
  if (admission == Admission::serve) return advance();
  refuse(503, "the server has too many connections: try again later");
}

void Session::read_more() {
  if (read_under_way_ || input_ended_) return;
  read_under_way_ = true;
  transport_.async_read_some(asio::buffer(scratch_),
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
      sessions_.rest(this);
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
  if (!buffered_->set(parser_.request().body.size(), shared_.options.max_buffered)) {
    return refuse(503, "the server is receiving too many requests: try again later");
  }
  if (!was_started && parser_.started()) set_timeout(shared_.options.header_timeout);
  switch (parser_.state()) {
    case ParseState::head:
      break;
    case ParseState::body:
      if (!pass_guard()) return;
      if (!std::exchange(body_begun_, true)) set_timeout(shared_.options.body_timeout);
      if (parser_.expects_continue() && !continue_sent_ && input_.empty()) return ask_for_body();
      break;
    case ParseState::done:
      if (!pass_guard()) return;
      return handle();
    case ParseState::refused:
      return refuse(parser_.refusal().status, parser_.refusal().message);
  }
  if (input_ended_) return close();
  read_more();
}

/// Before the body has come, so that who may not come in cannot fill the memory either.
bool Session::pass_guard() {
  if (guard_passed_) return true;
  auto refusal = shared_.router.refusal_of(parser_.request(), peer_);
  if (refusal) refuse(*std::move(refusal));
  guard_passed_ = !refusal;
  return guard_passed_;
}

void Session::ask_for_body() {
  continue_sent_ = true;
  phase_ = Phase::continuing;
  write(std::string(kContinue), {});
}

void Session::next_request() {
  phase_ = Phase::reading;
  sessions_.rest(this);
  parser_ = RequestParser(limits());
  continue_sent_ = false;
  body_begun_ = false;
  guard_passed_ = false;
  if (input_.empty() && (shared_.draining || input_ended_)) return finish();
  set_timeout(shared_.options.idle_timeout);
  advance();
}

void Session::handle() {
  phase_ = Phase::handling;
  sessions_.work(this);
  timer_.clear();
  Request request = parser_.take();
  request.counted = std::exchange(buffered_, std::make_shared<BufferedShare>(shared_.buffered));
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

void Session::set_timeout(std::chrono::nanoseconds from_now) {
  timer_.set(from_now, shared_from_this(), &Session::on_timeout);
}

void Session::on_timeout() {
  if (phase_ == Phase::streaming && !write_under_way_) return send_ping();
  if (phase_ == Phase::reading && parser_.started()) {
    return refuse(408, "the request took too long to arrive");
  }
  close();
}

void Session::on_drain() {
  switch (phase_) {
    case Phase::reading:
      if (!parser_.started() && !transport_.has_unread()) close();
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
  streaming_.clear();
}

void Session::finish() {
  transport_.shutdown_send();
  const bool may_send_more =
      refused_ || shared_.draining || !input_.empty() || transport_.has_unread();
  if (!input_ended_ && !may_send_more && transport_.is_protected()) return say_farewell();
  if (input_ended_ || !may_send_more) return close();
  phase_ = Phase::lingering;
  sessions_.rest(this);
  input_ = {};
  set_timeout(shared_.draining ? kLingerWhenDraining : kLinger);
  read_more();
}

/// Without it a client could not tell the end of an answer from a cut.
void Session::say_farewell() {
  phase_ = Phase::lingering;
  input_ = {};
  set_timeout(kFarewell);
  transport_.async_farewell([self = shared_from_this()](const IoError&) { self->close(); });
}

void Session::yield() {
  const bool waits_for_client =
      phase_ == Phase::reading || phase_ == Phase::writing || phase_ == Phase::lingering;
  if (waits_for_client) return close();
  sessions_.stay(this);
}

void Session::close() {
  if (phase_ == Phase::closed) return;
  phase_ = Phase::closed;
  transport_.close();
  timer_.cancel();
  release_exchange();
  sessions_.remove(this);
  gone_.request_stop();
}

void start_session(asio::io_context& io, Accepted accepted, Admission admission, Shared& shared,
                   SessionSet& sessions) {
  auto session = std::make_shared<Session>(io, std::move(accepted.peer), shared, sessions);
  if (!session->adopt(std::move(accepted.fd), accepted.family)) return;
  sessions.add(session, std::move(accepted.network));
  session->queue_start(admission);
}

}  // namespace assay::http
