#include "http/parser.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/optional/optional.hpp>

#include "http/message.hpp"
#include "http/url.hpp"

namespace assay::http {
namespace {

namespace beast = boost::beast;
using BeastError = beast::error_code;
using BeastView = beast::string_view;

std::string_view view(BeastView text) {
  return {text.data(), text.size()};
}

/// Drives Beast's parser, adding what it leaves open: a limit on the whole head (its own is for
/// one piece of input), a limit on chunk lines and trailers, and trailers kept out of the fields.
template <bool kIsRequest>
class Collector : public beast::http::basic_parser<kIsRequest> {
 public:
  explicit Collector(ParseLimits limits) : limits_(limits) {
    this->eager(true);
    this->header_limit(std::numeric_limits<std::uint32_t>::max());
    this->body_limit(limits.max_body);
  }

  std::size_t feed(std::string_view bytes) {
    std::size_t used = 0;
    if (!head_done_ && !failed()) used = feed_head(bytes);
    if (head_done_ && !failed() && !this->is_done()) used += feed_body(bytes.substr(used));
    return used;
  }

  void feed_end() {
    if (this->is_done() || failed()) return;
    BeastError error = beast::http::error::partial_message;
    if (this->got_some()) this->put_eof(error);
    if (error) note(error);
  }

  [[nodiscard]] ParseState state() const {
    if (failed()) return ParseState::refused;
    if (this->is_done()) return ParseState::done;
    return head_done_ ? ParseState::body : ParseState::head;
  }
  [[nodiscard]] bool started() const { return head_bytes_ > 0 || this->got_some(); }
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 protected:
  [[nodiscard]] bool failed() const { return refusal_.status != 0; }

  /// Refuses from inside a callback; the first refusal stands.
  void refuse(int status, std::string message, BeastError& error) {
    refusal_ = {.status = status, .message = std::move(message)};
    error = beast::http::error::bad_value;
  }

  virtual void take_field(std::string_view name, std::string_view value, BeastError& error) = 0;
  virtual void end_of_head(BeastError& error) = 0;
  virtual std::string& body() = 0;

 private:
  std::size_t feed_head(std::string_view bytes) {
    std::size_t skipped = 0;
    if (!this->got_some()) {  // an empty line before a request is to be ignored
      while (bytes.substr(skipped).starts_with("\r\n")) skipped += 2;
      if (bytes.substr(skipped) == "\r") {
        head_bytes_ += skipped;
        return skipped;
      }
    }
    head_bytes_ += skipped;
    bytes.remove_prefix(skipped);
    const std::size_t room = limits_.max_header - std::min(head_bytes_, limits_.max_header);
    const std::string_view window = bytes.substr(0, room);
    const std::size_t used = window.empty() ? 0 : put_some(window);
    head_bytes_ += used;
    if (!head_done_ && !failed() && (room == 0 || window.size() < bytes.size())) {
      refusal_ = {.status = 431, .message = "the header is larger than the server accepts"};
    }
    return skipped + used;
  }

  std::size_t feed_body(std::string_view bytes) {
    if (bytes.empty()) return 0;
    const std::size_t used = put_some(bytes);
    if (state() == ParseState::body && bytes.size() - used > limits_.max_header) {
      refusal_ = {.status = 431, .message = "a chunk line or the trailers are too large"};
    }
    return used;
  }

  std::size_t put_some(std::string_view bytes) {
    BeastError error;
    const std::size_t used = this->put(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error && error != beast::http::error::need_more) note(error);
    return used;
  }

  void note(const BeastError& error) {
    if (failed()) return;
    if (error == beast::http::error::body_limit) {
      refusal_ = {.status = 413, .message = "the body is larger than the server accepts"};
    } else {
      refusal_ = {.status = 400, .message = "malformed message: " + error.message()};
    }
  }

  void on_field_impl(beast::http::field /*known*/, BeastView name, BeastView value,
                     BeastError& error) final {
    if (!head_done_) take_field(view(name), view(value), error);
  }
  void on_header_impl(BeastError& error) final {
    end_of_head(error);
    head_done_ = !failed();
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, BeastError&) final {
    // A length is only a claim: do not let it reserve more than a modest amount.
    constexpr std::uint64_t kMostReserved = 1U << 20U;
    if (length) body().reserve(static_cast<std::size_t>(std::min(*length, kMostReserved)));
  }
  std::size_t on_body_impl(BeastView piece, BeastError&) final {
    body().append(piece.data(), piece.size());
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, BeastError&) final {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView piece, BeastError& error) final {
    return on_body_impl(piece, error);
  }
  void on_finish_impl(BeastError&) final {}

  ParseLimits limits_;
  std::size_t head_bytes_ = 0;
  bool head_done_ = false;
  Refusal refusal_;
};

}  // namespace

class RequestParser::Impl final : public Collector<true> {
 public:
  using Collector::Collector;

  [[nodiscard]] bool expects_continue() const { return expects_continue_ && is_http_1_1(); }
  [[nodiscard]] bool is_http_1_1() const { return version_ == 11; }
  [[nodiscard]] Request& request() { return request_; }

 private:
  void on_request_impl(beast::http::verb, BeastView method, BeastView target, int version,
                       BeastError& error) override {
    version_ = version;
    request_.method = http::parse_method(view(method));
    auto parsed = http::parse_target(view(target));
    if (!parsed) return refuse(400, parsed.error().message(), error);
    request_.path = std::move(parsed->path);
    request_.raw_path = std::move(parsed->raw_path);
    request_.query = std::move(parsed->query);
  }
  void on_response_impl(int, BeastView, int, BeastError&) override {}

  void take_field(std::string_view name, std::string_view value, BeastError& error) override {
    request_.headers.add(std::string(name), std::string(value));
    if (equal_ignoring_case(name, "Content-Length")) {
      if (++lengths_ > 1 || value.contains(',')) {
        refuse(400, "more than one Content-Length", error);
      }
    } else if (equal_ignoring_case(name, "Transfer-Encoding")) {
      ++codings_;
      if (!equal_ignoring_case(value, "chunked")) {
        refuse(501, "only the chunked transfer coding is supported", error);
      }
    } else if (equal_ignoring_case(name, "Host")) {
      ++hosts_;
    } else if (equal_ignoring_case(name, "Expect")) {
      expects_continue_ = equal_ignoring_case(value, "100-continue");
      if (!expects_continue_) refuse(417, "the only supported Expect is 100-continue", error);
    }
  }

  void end_of_head(BeastError& error) override {
    if (lengths_ > 0 && codings_ > 0) {
      refuse(400, "both Content-Length and Transfer-Encoding", error);
    } else if (codings_ > 1) {
      refuse(400, "more than one Transfer-Encoding", error);
    } else if (codings_ > 0 && !is_http_1_1()) {
      refuse(400, "Transfer-Encoding in an HTTP/1.0 request", error);
    } else if (hosts_ > 1 || (hosts_ == 0 && is_http_1_1())) {
      refuse(400, "an HTTP/1.1 request must have exactly one Host", error);
    }
  }
  std::string& body() override { return request_.body; }

  Request request_;
  int version_ = 11;
  int lengths_ = 0;
  int codings_ = 0;
  int hosts_ = 0;
  bool expects_continue_ = false;
};

RequestParser::RequestParser(ParseLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;
RequestParser::~RequestParser() = default;

std::size_t RequestParser::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}
ParseState RequestParser::state() const {
  return impl_->state();
}
bool RequestParser::started() const {
  return impl_->started();
}
const Refusal& RequestParser::refusal() const {
  return impl_->refusal();
}
bool RequestParser::keep_alive() const {
  return impl_->keep_alive();
}
bool RequestParser::is_http_1_1() const {
  return impl_->is_http_1_1();
}
bool RequestParser::expects_continue() const {
  return impl_->expects_continue();
}
const Request& RequestParser::request() const {
  return impl_->request();
}
Request RequestParser::take() {
  return std::move(impl_->request());
}

class ResponseParser::Impl final : public Collector<false> {
 public:
  Impl(ParseLimits limits, bool answers_head) : Collector(limits) { skip(answers_head); }

  [[nodiscard]] Response& response() { return response_; }

 private:
  void on_request_impl(beast::http::verb, BeastView, BeastView, int, BeastError&) override {}
  void on_response_impl(int status, BeastView, int, BeastError&) override {
    response_.status = status;
  }
  void take_field(std::string_view name, std::string_view value, BeastError&) override {
    response_.headers.add(std::string(name), std::string(value));
  }
  void end_of_head(BeastError&) override {}
  std::string& body() override { return response_.body; }

  Response response_;
};

ResponseParser::ResponseParser(ParseLimits limits, bool answers_head)
    : impl_(std::make_unique<Impl>(limits, answers_head)) {}
ResponseParser::ResponseParser(ResponseParser&&) noexcept = default;
ResponseParser& ResponseParser::operator=(ResponseParser&&) noexcept = default;
ResponseParser::~ResponseParser() = default;

std::size_t ResponseParser::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}
void ResponseParser::feed_end() {
  impl_->feed_end();
}
ParseState ResponseParser::state() const {
  return impl_->state();
}
const Refusal& ResponseParser::refusal() const {
  return impl_->refusal();
}
bool ResponseParser::keep_alive() const {
  return impl_->keep_alive();
}
Response& ResponseParser::response() {
  return impl_->response();
}

}  // namespace assay::http
