#include "http/client.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "http/client_connection.hpp"
#include "http/event_codec.hpp"
#include "http/message.hpp"
#include "http/parser.hpp"
#include "http/patience.hpp"
#include "http/socket.hpp"
#include "http/url.hpp"

namespace assay::http {
namespace {

// A client must not be filled up by a broken server either.
constexpr ParseLimits kLimits = {.max_header = std::size_t{256} << 10U,
                                 .max_body = std::size_t{1} << 30U};
constexpr std::size_t kQuoted = 500;  // bytes of an unexpected answer worth repeating

ErrorCode code_for(int status) {
  if (status == 404) return ErrorCode::not_found;
  if (status == 429) return ErrorCode::resource_exhausted;
  return status >= 500 ? ErrorCode::unavailable : ErrorCode::invalid_argument;
}

/// Whether these stay in their places in the request instead of forging another part of it.
bool is_sendable(std::string_view path, const Headers& headers) {
  constexpr std::string_view kLineBreaks("\r\n\0", 3);
  const auto is_visible = [](char c) { return static_cast<unsigned char>(c) > ' '; };
  return path.starts_with('/') && std::ranges::all_of(path, is_visible) &&
         std::ranges::all_of(headers, [&](const Headers::Field& field) {
           return std::ranges::all_of(field.first, is_visible) &&
                  field.second.find_first_of(kLineBreaks) == std::string::npos;
         });
}

std::string encode_request(const BaseUrl& url, Method method, std::string_view path,
                           const Headers& headers, std::string_view body) {
  std::string text = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\n", to_string(method), url.prefix,
                                 path, host_and_port(url.host, url.port));
  for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!body.empty() || method == Method::post || method == Method::put || method == Method::patch) {
    text += fmt::format("Content-Length: {}\r\n", body.size());
  }
  text += "\r\n";
  return text += body;
}

}  // namespace

class Client::Impl {
 public:
  Impl(std::string base_url, Headers always)
      : base_url_(std::move(base_url)), always_(std::move(always)) {}

  Result<Response> send(Method method, std::string_view path, const Headers& headers,
                        std::string_view body, const Patience& patience) {
    if (auto sent = request(method, path, headers, body, patience); !sent) {
      return std::unexpected(std::move(sent).error());
    }
    ASSAY_TRY(ResponseParser answer, read_head(method == Method::head, patience));
    while (answer.state() != ParseState::done) {
      if (auto more = read_some(answer, patience); !more) {
        return std::unexpected(std::move(more).error());
      }
    }
    release(answer);
    return std::move(answer.response());
  }

  Result<void> stream_events(std::string_view path, const Headers& headers, const OnEvent& on_event,
                             const Patience& patience) {
    if (auto sent = request(Method::get, path, headers, {}, patience); !sent) return sent;
    ASSAY_TRY(ResponseParser answer, read_head(false, patience));
    EventDecoder decoder;
    while (answer.response().status == 200) {
      decoder.feed(std::exchange(answer.response().body, {}));
      while (const auto event = decoder.next()) {
        if (!on_event(event->id, event->name, event->data)) return ended();
      }
      if (answer.state() == ParseState::done) return ended();
      if (auto more = read_some(answer, patience); !more) return more;
    }
    while (answer.state() != ParseState::done && answer.response().body.size() < kQuoted) {
      if (auto more = read_some(answer, patience); !more) return more;
    }
    close();
    return fail(code_for(answer.response().status),
                fmt::format("{}{} answered {}: {}", base_url_, path, answer.response().status,
                            answer.response().body.substr(0, kQuoted)));
  }

 private:
  Result<void> request(Method method, std::string_view path, const Headers& own,
                       std::string_view body, const Patience& patience) {
    ASSAY_TRY(const BaseUrl url, parse_base_url(base_url_));
    Headers headers = always_;
    for (const auto& [name, value] : own) headers.add(name, value);
    if (!is_sendable(path, headers)) {
      return fail(ErrorCode::invalid_argument, "a path or header holds a space or a line break");
    }
    if (connection_.is_stale()) close();
    if (!connection_.is_open()) {
      ASSAY_TRY(connection_, ClientConnection::open(url, patience));
      input_.clear();
    }
    // A server may answer and close before it has read everything (413): what it said is worth
    // more than the failure to send, so that is reported only if no answer can be read.
    unsent_ = {};
    auto sent = connection_.write(encode_request(url, method, path, headers, body), patience);
    if (sent) return {};
    if (sent.error().code() != ErrorCode::unavailable) return failed(std::move(sent).error());
    unsent_ = std::move(sent).error();
    return {};
  }

  Result<ResponseParser> read_head(bool answers_head, const Patience& patience) {
    while (true) {
      ResponseParser answer(kLimits, answers_head);
      while (answer.state() == ParseState::head) {
        if (auto more = read_some(answer, patience); !more) {
          return std::unexpected(std::move(more).error());
        }
      }
      if (answer.response().status >= 200) return answer;  // else 100 Continue and the like
    }
  }

  Result<void> read_some(ResponseParser& answer, const Patience& patience) {
    if (input_.empty() || !parse(answer)) {
      std::array<char, std::size_t{16} << 10U> bytes{};
      const auto count = connection_.read(bytes, patience);
      if (!count) return failed(unsent_.value_or(count.error()));
      if (*count == 0) {
        answer.feed_end();
      } else {
        input_.append(bytes.data(), *count);
        parse(answer);
      }
    }
    if (answer.state() != ParseState::refused) return {};
    if (unsent_) return failed(*std::move(unsent_));
    return failed(Error(ErrorCode::unavailable, fmt::format("the answer of {} is unusable: {}",
                                                            base_url_, answer.refusal().message)));
  }

  /// Whether anything came of it.
  bool parse(ResponseParser& answer) {
    const std::size_t used = answer.feed(input_);
    input_.erase(0, used);
    return used > 0 || answer.state() == ParseState::refused;
  }

  void release(const ResponseParser& answer) {
    if (!answer.keep_alive() || unsent_) close();
  }
  std::unexpected<Error> failed(Error error) {
    close();
    return std::unexpected(std::move(error));
  }
  Result<void> ended() {
    close();  // whatever else the server had to say is not wanted
    return {};
  }
  void close() { connection_ = {}; }

  std::string base_url_;
  Headers always_;
  ClientConnection connection_;
  std::string input_;            // received, not yet parsed
  std::optional<Error> unsent_;  // why the request could not be sent whole
};

Client::Client(std::string base_url, Headers always)
    : impl_(std::make_unique<Impl>(std::move(base_url), std::move(always))) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Response> Client::send(Method method, std::string_view path, const Headers& headers,
                              std::string_view body, Deadline deadline,
                              const std::stop_token& stop) {
  ASSAY_TRY(const std::unique_ptr<Patience> patience, Patience::create(deadline, stop));
  return impl_->send(method, path, headers, body, *patience);
}

Result<void> Client::stream_events(std::string_view path, std::string_view last_event_id,
                                   const OnEvent& on_event, Deadline deadline,
                                   const std::stop_token& stop) {
  ASSAY_TRY(const std::unique_ptr<Patience> patience, Patience::create(deadline, stop));
  Headers headers = {{"Accept", "text/event-stream"}};
  if (!last_event_id.empty()) headers.add("Last-Event-ID", std::string(last_event_id));
  return impl_->stream_events(path, headers, on_event, *patience);
}

}  // namespace assay::http
