#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

namespace assay::http {

/// Takes one event of a stream; false ends the stream.
using OnEvent =
    std::function<bool(std::string_view id, std::string_view event, std::string_view data)>;

/// Talks to one server, one request at a time, and keeps the connection between requests. For one
/// thread. Fails with `unavailable` if the server cannot be reached, breaks off or does not speak
/// HTTP. Other failures are `deadline_exceeded`, `cancelled`, and `invalid_argument` for a bad URL.
class Client {
 public:
  /// "http[s]://host[:port][/prefix]". A bad one is reported by the first request.
  /// `always` is sent with every request.
  explicit Client(std::string base_url, Headers always = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// `path` is sent as given, so it must be encoded (url_encode). Any status is an answer, not
  /// an Error.
  [[nodiscard]] Result<Response> send(Method method, std::string_view path, const Headers& headers,
                                      std::string_view body, Deadline deadline,
                                      const std::stop_token& stop = {});

  /// Reads events until the server ends the stream or `on_event` returns false. If the stream
  /// breaks off, it fails with `unavailable`. The caller may then go on from the last id it saw. An
  /// answer other than 200 is an Error that quotes it.
  [[nodiscard]] Result<void> stream_events(std::string_view path, std::string_view last_event_id,
                                           const OnEvent& on_event, Deadline deadline,
                                           const std::stop_token& stop = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::http
