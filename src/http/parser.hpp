#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace assay::http {

struct ParseLimits {
  std::size_t max_header;  // bytes of the request line and fields together
  std::size_t max_body;    // bytes after chunked encoding is undone
};

/// Why a message was not accepted: the status to answer, and what to tell the sender.
struct Refusal {
  int status = 0;
  std::string message;
};

enum class ParseState : std::uint8_t { head, body, done, refused };

/// Reads one request from bytes that arrive in any pieces. Knows nothing of sockets. Refuses what
/// another server on the path could read differently (request smuggling): repeated or listed
/// Content-Length, Content-Length beside Transfer-Encoding, any coding but plain chunked.
class RequestParser {
 public:
  explicit RequestParser(ParseLimits limits);
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  /// Takes bytes from the front and returns how many it took. Give the rest again, with more behind
  /// it. What is left once done belongs to the next request.
  std::size_t feed(std::string_view bytes);

  [[nodiscard]] ParseState state() const;
  [[nodiscard]] bool started() const;
  [[nodiscard]] const Refusal& refusal() const;
  /// From here on, true as soon as the head is read.
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool is_http_1_1() const;
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] const Request& request() const;
  [[nodiscard]] Request take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads one response, as a client must.
class ResponseParser {
 public:
  /// The answer to a HEAD request has no body, whatever its fields say.
  ResponseParser(ParseLimits limits, bool answers_head);
  ResponseParser(ResponseParser&&) noexcept;
  ResponseParser& operator=(ResponseParser&&) noexcept;
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;
  ~ResponseParser();

  std::size_t feed(std::string_view bytes);
  /// The sender closed: completes a body of undeclared length, refuses any other unfinished one.
  void feed_end();

  [[nodiscard]] ParseState state() const;
  [[nodiscard]] const Refusal& refusal() const;
  [[nodiscard]] bool keep_alive() const;
  /// Its body holds what came since the body was last moved out of it.
  [[nodiscard]] Response& response();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::http
