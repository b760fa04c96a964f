#include "http/url.hpp"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::http {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kSecureScheme = "https://";

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

bool starts_with_scheme(std::string_view url, std::string_view scheme) {
  return url.size() >= scheme.size() &&
         std::ranges::equal(url.substr(0, scheme.size()), scheme, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c + 0; });
}

/// Splits at the first `separator`; the second part is empty where there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

Result<std::string> decode_form(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return url_decode(spaced);
}

Result<void> parse_query(std::string_view text, Target& into) {
  while (!text.empty()) {
    const auto [pair, rest] = cut(text, '&');
    text = rest;
    if (pair.empty()) continue;
    const auto [name, value] = cut(pair, '=');
    ASSAY_TRY(std::string decoded_name, decode_form(name));
    ASSAY_TRY(std::string decoded_value, decode_form(value));
    into.query.emplace_back(std::move(decoded_name), std::move(decoded_value));
  }
  return {};
}

bool is_port(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, is_digit) &&
         std::stoi(std::string(text)) <= 65535;
}

}  // namespace

Result<std::string> url_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') return fail(ErrorCode::invalid_argument, "NUL byte in the URL");
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
    if (!low) return fail(ErrorCode::invalid_argument, "broken percent-encoding in the URL");
    const int byte = *high * 16 + *low;
    if (byte == 0) return fail(ErrorCode::invalid_argument, "encoded NUL byte in the URL");
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::string url_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

Result<Target> parse_target(std::string_view target) {
  if (target == "*") return Target{.raw_path = "*", .path = "*", .query = {}};
  const bool secure = starts_with_scheme(target, kSecureScheme);
  if (secure || starts_with_scheme(target, kScheme)) {
    target.remove_prefix((secure ? kSecureScheme : kScheme).size());
    const std::size_t end_of_host = target.find_first_of("/?");
    target.remove_prefix(std::min(end_of_host, target.size()));
  } else if (!target.starts_with('/')) {
    return fail(ErrorCode::invalid_argument, "request target is neither a path nor an http URL");
  }
  const auto [before_fragment, fragment] = cut(target, '#');
  const auto [path, query] = cut(before_fragment, '?');
  Target parsed{.raw_path = path.empty() ? "/" : std::string(path), .path = {}, .query = {}};
  ASSAY_TRY(parsed.path, url_decode(parsed.raw_path));
  if (auto read = parse_query(query, parsed); !read) return std::unexpected(read.error());
  return parsed;
}

Result<BaseUrl> parse_base_url(std::string_view url) {
  const auto bad = [url](std::string_view why) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is not a server URL: {}", url, why));
  };
  const bool secure = starts_with_scheme(url, kSecureScheme);
  if (!secure && !starts_with_scheme(url, kScheme)) {
    return bad("it must begin with http:// or https://");
  }
  std::string_view rest = url.substr((secure ? kSecureScheme : kScheme).size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view prefix = rest.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  std::string_view host = rest.substr(0, slash);
  std::string_view port = secure ? "443" : "80";
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.ends_with(']')) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return bad("it names no host");
  if (!is_port(port)) return bad("its port is not a number up to 65535");
  return BaseUrl{.host = std::string(host),
                 .port = std::string(port),
                 .prefix = std::string(prefix),
                 .tls = secure};
}

}  // namespace assay::http
