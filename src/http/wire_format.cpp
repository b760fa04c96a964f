#include "http/wire_format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "http/message.hpp"

namespace assay::http {
namespace {

constexpr std::array<std::string_view, 5> kOurs = {"Content-Length", "Transfer-Encoding",
                                                   "Connection", "Keep-Alive", "Date"};
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  // strftime would follow the process's locale; the format is always English.
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                     kMonths.at(static_cast<std::size_t>(utc.tm_mon)), utc.tm_year + 1900,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

bool is_ours(std::string_view name) {
  return std::ranges::any_of(kOurs, [&](auto ours) { return equal_ignoring_case(ours, name); });
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return line;
}

}  // namespace

bool status_has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

std::string encode_head(const Response& response, Framing framing) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                                 reason_phrase(response.status), date());
  // Whatever a kernel put into it, an answer is what its type says.
  head += "X-Content-Type-Options: nosniff\r\n";
  for (const auto& [name, value] : response.headers) {
    if (!is_ours(name)) head += fmt::format("{}: {}\r\n", one_line(name), one_line(value));
  }
  if (framing.chunked && framing.http_1_1) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (!framing.chunked && status_has_body(response.status)) {
    head += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  if (!framing.keep_alive) {
    head += "Connection: close\r\n";
  } else if (!framing.http_1_1) {
    head += "Connection: keep-alive\r\n";
  }
  return head += "\r\n";
}

std::string encode_chunk(std::string_view bytes) {
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace assay::http
