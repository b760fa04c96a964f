#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "http/live_exchange.hpp"
#include "http/message.hpp"
#include "http/outgoing.hpp"
#include "http/parser.hpp"
#include "http/session_impl.hpp"
#include "http/wire_format.hpp"

namespace assay::http {
namespace {

constexpr std::string_view kPing = ": ping\n\n";
// Sent even where slow readers have left no room: many of these fit beside all large ones.
constexpr std::size_t kSmallAnswer = std::size_t{64} << 10U;

}  // namespace

void Session::on_answer(Response response) {
  if (phase_ != Phase::handling) return;
  send_answer(std::move(response), parser_.keep_alive() && !shared_.draining);
}

void Session::on_abandoned() {
  shared_.log.error("http", "{} {} was left unanswered", to_string(method_), path_);
  on_answer(shared_.router.error_response(500, "the request was left unanswered", path_));
}

void Session::refuse(int status, std::string_view message) {
  Response response = shared_.router.error_response(status, message, parser_.request().path);
  if (status == 503) response.headers.set("Retry-After", "1");
  refuse(std::move(response));
}

void Session::refuse(Response response) {
  refused_ = true;
  const Request& request = parser_.request();
  method_ = request.method;
  path_ = request.path;
  buffered_->clear();  // before the client can hear of it and try again
  send_answer(std::move(response), false);
  parser_ = RequestParser(limits());  // gives back what had come of the body
}

void Session::send_answer(Response response, bool keep_alive) {
  release_exchange();
  const bool is_large = response.body.size() > kSmallAnswer;
  if (is_large && !answered_.set(response.body.size(), shared_.options.max_outgoing)) {
    response = shared_.router.error_response(503, "too many large answers are on their way", path_);
    response.headers.set("Retry-After", "1");
  }
  phase_ = Phase::writing;
  sessions_.rest(this);
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
  const bool head_only = method_ == Method::head;
  if (!head_only && !streaming_.set(1, shared_.options.max_streams)) {
    Response full = shared_.router.error_response(
        503, "too many event streams are open: try again later", path_);
    full.headers.set("Retry-After", "5");
    return send_answer(std::move(full), parser_.keep_alive() && !shared_.draining);
  }
  Response response{.status = 200, .headers = std::move(headers), .body = {}};
  response.headers.set("Content-Type", "text/event-stream");
  response.headers.set("Cache-Control", "no-cache");
  shared_.answers[2].fetch_add(1, std::memory_order_relaxed);
  close_after_ = true;
  stream_until_ = LazyTimer::Clock::now() + std::chrono::duration_cast<LazyTimer::Clock::duration>(
                                                shared_.options.stream_lifetime);
  if (head_only) release_exchange();
  phase_ = head_only ? Phase::writing : Phase::streaming;
  if (input_ended_ && !head_only)
    return close();  // a stream to one who has stopped listening never ends
  write(encode_head(response,
                    {.http_1_1 = parser_.is_http_1_1(), .keep_alive = false, .chunked = true}),
        {});
  read_more();
}

void Session::flush_stream() {
  if (phase_ != Phase::streaming || write_under_way_) return;
  LiveExchange::Backlog backlog = exchange_->take_backlog();
  if (stream_is_over()) backlog.last = true;  // who wants more comes back with Last-Event-ID
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

void Session::send_ping() {
  if (stream_is_over()) return flush_stream();
  std::string ping(kPing);
  write(parser_.is_http_1_1() ? encode_chunk(ping) : std::move(ping), {});
}

void Session::write(std::string head, std::string body) {
  const std::chrono::seconds at_slowest((head.size() + body.size()) /
                                        shared_.options.slowest_reader);
  write_until_ = LazyTimer::Clock::now() + std::chrono::duration_cast<LazyTimer::Clock::duration>(
                                               shared_.options.write_timeout + at_slowest);
  outgoing_ = Outgoing(std::move(head), std::move(body));
  write_under_way_ = true;
  write_more();
}

void Session::write_more() {
  const auto left = write_until_ - LazyTimer::Clock::now();
  if (left <= left.zero()) return close();
  set_timeout(std::min<std::chrono::nanoseconds>(shared_.options.write_timeout, left));
  transport_.async_write_some(outgoing_.rest(),
                              [self = shared_from_this()](const IoError& error, std::size_t count) {
                                self->on_write(error, count);
                              });
}

void Session::on_write(const IoError& error, std::size_t count) {
  if (phase_ == Phase::closed) return;
  if (error) return close();
  outgoing_.advance(count);
  if (phase_ == Phase::writing) sessions_.rest(this);
  if (!outgoing_.done()) return write_more();
  outgoing_ = {};  // gives back what a large answer took
  answered_.clear();
  write_under_way_ = false;
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

}  // namespace assay::http
