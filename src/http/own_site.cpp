#include "http/own_site.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>

#include "http/message.hpp"
#include "http/parser.hpp"

namespace assay::http {
namespace {

constexpr std::size_t kLongestQuoted = 100;

/// "name:8000" without its port; an IPv6 address without its brackets.
std::string_view name_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    return authority.substr(1, end == std::string_view::npos ? end : end - 1);
  }
  return authority.substr(0, authority.find(':'));
}

bool is_address(std::string_view name) {
  const std::string text(name);
  in6_addr address{};  // large enough for both
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool is_local_name(std::string_view name) {
  constexpr std::string_view kLocal = "localhost";
  if (equal_ignoring_case(name, kLocal)) return true;
  return name.size() > kLocal.size() && name[name.size() - kLocal.size() - 1] == '.' &&
         equal_ignoring_case(name.substr(name.size() - kLocal.size()), kLocal);
}

bool is_listed(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::any_of(
      list, [&](const std::string& known) { return equal_ignoring_case(known, text); });
}

bool is_own_name(std::string_view name, const OwnSite& site) {
  return is_address(name) || is_local_name(name) || is_listed(site.hosts, name) ||
         is_listed(site.hosts, "*");
}

/// A page of ours names the very host and port that it asks.
bool is_own_origin(std::string_view origin, const Request& request, const OwnSite& site) {
  if (is_listed(site.origins, origin)) return true;
  const std::size_t scheme = origin.find("://");
  const auto host = request.headers.find("Host");
  return scheme != std::string_view::npos && host &&
         equal_ignoring_case(origin.substr(scheme + 3), *host);
}

bool changes_something(Method method) {
  return method == Method::post || method == Method::put || method == Method::patch;
}

bool has_body(const Request& request) {
  if (request.headers.find("Transfer-Encoding")) return true;
  const auto length = request.headers.find("Content-Length");
  return length && *length != "0";
}

bool comes_from_a_browser(const Request& request) {
  return request.headers.find("Origin") || request.headers.find("Sec-Fetch-Site");
}

bool is_json(const Request& request) {
  const auto type = request.headers.find("Content-Type");
  if (!type) return false;
  const std::string_view media = type->substr(0, type->find(';'));
  return equal_ignoring_case(media.substr(0, media.find_last_not_of(' ') + 1), "application/json");
}

}  // namespace

std::optional<Refusal> refuse_foreign(const Request& request, const OwnSite& site) {
  // Without the field it is HTTP/1.0, which browsers do not speak.
  if (const auto host = request.headers.find("Host"); host && !is_own_name(name_of(*host), site)) {
    const std::string_view name = name_of(*host).substr(0, kLongestQuoted);
    return Refusal{403, fmt::format("this server is not known as '{}': ask for it by its address, "
                                    "or start it with --allow-host {}",
                                    name, name)};
  }
  if (const auto origin = request.headers.find("Origin");
      origin && !is_own_origin(*origin, request, site)) {
    const std::string_view shown = origin->substr(0, kLongestQuoted);
    return Refusal{403, fmt::format("pages of {} may not use this server: start it with "
                                    "--allow-origin {} if they should",
                                    shown, shown)};
  }
  const bool must_be_json = has_body(request) || comes_from_a_browser(request);
  if (changes_something(request.method) && must_be_json && !is_json(request)) {
    return Refusal{415, "Content-Type must be application/json"};
  }
  return std::nullopt;
}

}  // namespace assay::http
