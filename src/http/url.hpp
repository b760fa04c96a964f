#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay::http {

/// Undoes percent-encoding. Fails on a cut or non-hexadecimal escape and on an encoded NUL,
/// which would end the text early for whoever passes it to the system.
[[nodiscard]] Result<std::string> url_decode(std::string_view text);

/// Escapes everything but unreserved characters, '/' included: for one path segment or one
/// query name or value.
[[nodiscard]] std::string url_encode(std::string_view text);

/// What a request line asks for.
struct Target {
  std::string raw_path;
  std::string path;  // decoded
  std::vector<std::pair<std::string, std::string>> query;
};

/// Reads "/path?query", "http://host/path?query" or "*".
[[nodiscard]] Result<Target> parse_target(std::string_view target);

/// Where a client connects.
struct BaseUrl {
  std::string host;
  std::string port;    // decimal
  std::string prefix;  // "" or "/some/path", put before every path
  bool tls = false;
};

/// Reads "http[s]://host[:port][/prefix]"; an IPv6 host is in brackets.
[[nodiscard]] Result<BaseUrl> parse_base_url(std::string_view url);

}  // namespace assay::http
