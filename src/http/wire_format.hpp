#pragma once

#include <string>
#include <string_view>

#include "http/message.hpp"

namespace assay::http {

/// How an answer leaves: decided by the connection, never by a handler.
struct Framing {
  bool http_1_1 = true;
  bool keep_alive = true;
  bool chunked = false;  // an event stream: no length is known
};

/// The status line and fields of an answer, up to and including the empty line. Line breaks in
/// a field, which could forge another one, become spaces.
[[nodiscard]] std::string encode_head(const Response& response, Framing framing);

/// 1xx, 204 and 304 never carry a body.
[[nodiscard]] bool status_has_body(int status);

[[nodiscard]] std::string encode_chunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace assay::http
