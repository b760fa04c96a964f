#include "api/callers.hpp"

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "access/gate.hpp"
#include "access/token.hpp"
#include "api/answers.hpp"
#include "api/context.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"

namespace assay::api {
namespace {

using access::Scope;

/// What shows nothing of anybody's jobs, and what must answer before one can have a token.
constexpr std::array<std::string_view, 4> kOpen = {"/", "/health", "/docs", "/openapi.json"};

bool only_looks(const http::Request& request) {
  return request.method == http::Method::get || request.method == http::Method::head;
}

bool is_open(const http::Request& request) {
  return only_looks(request) && std::ranges::find(kOpen, request.path) != kOpen.end();
}

bool may(const access::Token& token, const http::Request& request) {
  if (request.path.starts_with("/admin/")) return token.may(Scope::admin);
  return only_looks(request) || token.may(Scope::submit);
}

std::optional<std::string_view> secret_of(const http::Request& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto given = request.headers.find("Authorization");
  if (!given || !http::equal_ignoring_case(given->substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  return given->substr(kScheme.size());
}

std::optional<access::Token> token_of(access::Gate& gate, const http::Request& request) {
  const auto secret = secret_of(request);
  return secret ? gate.find(*secret) : std::nullopt;
}

}  // namespace

std::optional<http::Response> refuse_stranger(Context& context, const http::Request& request,
                                              std::string_view peer) {
  if (context.gate == nullptr || is_open(request)) return std::nullopt;
  const auto token = token_of(*context.gate, request);
  if (token && may(*token, request)) return std::nullopt;
  const std::string message =
      token ? fmt::format("token '{}' does not allow this: it needs the scope {}", token->name,
                          request.path.starts_with("/admin/") ? "admin" : "submit")
            : std::string(kWantsToken);
  context.gate->note(token ? &*token : nullptr, peer, "refused",
                     fmt::format("{} {}", to_string(request.method), request.path));
  http::Response response = shaped_error(token ? 403 : 401, message, request.path);
  if (!token) response.headers.set("WWW-Authenticate", "Bearer");
  return response;
}

Caller caller_of(Context& context, const http::Request& request) {
  if (context.gate == nullptr) return std::nullopt;
  // A token that was revoked since the guard saw it leaves a caller who may do nothing.
  return token_of(*context.gate, request).value_or(access::Token{});
}

bool is_stranger(const Caller& caller) {
  return caller && caller->scopes.empty();
}

std::optional<std::string> only_of(const Caller& caller) {
  if (!caller || caller->may(Scope::read)) return std::nullopt;
  return caller->id;
}

bool may_see(const Caller& caller, const Job& job) {
  const auto only = only_of(caller);
  return !only || job.owner == only;
}

Result<void> check_may_see(Context& context, const Caller& caller, const JobId& id) {
  const auto only = only_of(caller);
  if (!only) return {};
  ASSAY_TRY(const auto owner, context.store.owner(id));
  if (owner == only) return {};
  return std::unexpected(no_such_job(id));
}

Result<void> check_may_change(Context& context, const Caller& caller, const JobId& id) {
  if (!caller || caller->may(Scope::admin)) return {};
  ASSAY_TRY(const auto owner, context.store.owner(id));
  if (owner == caller->id) return {};
  return std::unexpected(no_such_job(id));
}

Error no_such_job(const JobId& id) {
  return {ErrorCode::not_found, fmt::format("no job {}", id.value)};
}

void note_deed(Context& context, const Caller& caller, const http::Request& request,
               std::string_view action, std::string_view what) {
  if (context.gate == nullptr) return;
  context.gate->note(is_stranger(caller) ? nullptr : &*caller, request.peer, action, what);
}

}  // namespace assay::api
