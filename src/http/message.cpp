#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace assay::http {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 7> kMethods = {{
    {Method::get, "GET"},
    {Method::head, "HEAD"},
    {Method::post, "POST"},
    {Method::put, "PUT"},
    {Method::patch, "PATCH"},
    {Method::del, "DELETE"},
    {Method::options, "OPTIONS"},
}};

constexpr std::array<std::pair<int, std::string_view>, 40> kPhrases = {{
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
}};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Response with_type(int status, std::string body, std::string type) {
  return {
      .status = status, .headers = {{"Content-Type", std::move(type)}}, .body = std::move(body)};
}

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [known, name] : kMethods) {
    if (known == method) return name;
  }
  return "OTHER";
}

Method parse_method(std::string_view name) {
  for (const auto& [method, known] : kMethods) {
    if (known == name) return method;
  }
  return Method::other;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
  std::erase_if(fields_,
                [&](const Field& field) { return equal_ignoring_case(field.first, name); });
  add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [known, value] : fields_) {
    if (equal_ignoring_case(known, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
  for (const auto& [known, value] : query) {
    if (known == name) return value;
  }
  return std::nullopt;
}

Response Response::json(int status, std::string body) {
  return with_type(status, std::move(body), "application/json");
}

Response Response::text(int status, std::string body) {
  return with_type(status, std::move(body), "text/plain; charset=utf-8");
}

Response Response::html(int status, std::string body) {
  return with_type(status, std::move(body), "text/html; charset=utf-8");
}

std::string_view reason_phrase(int status) {
  for (const auto& [known, phrase] : kPhrases) {
    if (known == status) return phrase;
  }
  return "Unknown";
}

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      // Bytes past ASCII may not be UTF-8, which JSON requires; the escape always is.
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

}  // namespace assay::http
