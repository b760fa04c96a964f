#include "http/router.hpp"

#include <cassert>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.hpp"
#include "http/responder.hpp"
#include "http/url.hpp"

namespace assay::http {
namespace {

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  while (true) {
    const std::size_t slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

bool is_name(std::string_view segment) {
  return segment.starts_with('{') && segment.ends_with('}');
}

Response default_error(int status, std::string_view message, std::string_view /*path*/) {
  return Response::json(status, "{\"error\":" + json_quoted(message) + "}");
}

}  // namespace

Router::Router() : shape_(default_error) {}

void Router::add(Method method, std::string_view pattern, Handler handler) {
  assert(pattern.starts_with('/') && handler);
  Route route{.method = method, .segments = {}, .handler = std::move(handler)};
  for (const std::string_view segment : split(pattern)) route.segments.emplace_back(segment);
  routes_.push_back(std::move(route));
}

Response Router::error_response(int status, std::string_view message, std::string_view path) const {
  return shape_(status, message, path);
}

std::optional<Router::Params> Router::match(const Route& route,
                                            const std::vector<std::string_view>& segments) {
  if (route.segments.size() != segments.size()) return std::nullopt;
  Params params;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::string_view expected = route.segments[i];
    auto decoded = url_decode(segments[i]);
    if (!decoded) return std::nullopt;
    if (is_name(expected)) {
      if (decoded->empty()) return std::nullopt;
      params.emplace(expected.substr(1, expected.size() - 2), *std::move(decoded));
    } else if (*decoded != expected) {
      return std::nullopt;
    }
  }
  return params;
}

Router::Match Router::find(Method method, const std::vector<std::string_view>& segments) const {
  Match best;
  for (const Route& route : routes_) {
    if (route.method != method) continue;
    auto params = match(route, segments);
    if (!params) continue;
    if (best.route == nullptr || params->size() < best.params.size()) {
      best = {.route = &route, .params = *std::move(params)};
    }
  }
  return best;
}

std::string Router::allowed(const std::vector<std::string_view>& segments) const {
  std::set<std::string_view> methods;
  for (const Route& route : routes_) {
    if (!match(route, segments)) continue;
    methods.insert(to_string(route.method));
    if (route.method == Method::get) methods.insert(to_string(Method::head));
  }
  std::string list;
  for (const std::string_view method : methods) {
    if (!list.empty()) list += ", ";
    list += method;
  }
  return list;
}

void Router::route(Request request, Responder responder) const {
  // Asked again: while the body came, somebody may have lost the right to send it.
  if (auto refusal = refusal_of(request, request.peer)) {
    return responder.send(*std::move(refusal));
  }
  const auto segments = split(request.raw_path);
  Match found = find(request.method, segments);
  if (found.route == nullptr && request.method == Method::head) {
    found = find(Method::get, segments);
  }
  if (found.route != nullptr) {
    request.params = std::move(found.params);
    found.route->handler(std::move(request), std::move(responder));
    return;
  }
  const std::string methods = allowed(segments);
  const int status = methods.empty() ? 404 : 405;
  Response response = error_response(status, reason_phrase(status), request.path);
  if (!methods.empty()) response.headers.set("Allow", methods);
  responder.send(std::move(response));
}

}  // namespace assay::http
