#pragma once

#include <string_view>

#include "api/context.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {

/// The one place that says which HTTP status an Error is.
[[nodiscard]] int status_of(ErrorCode code);

/// {"error": {"code", "message"}}: errors of the versioned API.
[[nodiscard]] http::Response error_answer(const Error& error);
/// 400 with {"error": {"code", "message", "fields": [{"path", "message", "type"}]}}.
[[nodiscard]] http::Response decode_error_answer(const wire::DecodeError& error);
/// The same for a parameter, a header or a value that only the server can judge.
[[nodiscard]] http::Response field_error_answer(wire::FieldError field);

/// The same for the compatible routes, whose clients expect other shapes.
[[nodiscard]] http::Response compat_decode_error(const wire::DecodeError& error,
                                                 const HostInfo& host);
[[nodiscard]] http::Response compat_server_error(const HostInfo& host, int status,
                                                 std::string_view message,
                                                 std::string_view job_id = {});

/// Errors the HTTP server itself reports, shaped by which API the path belongs to.
[[nodiscard]] http::Response shaped_error(int status, std::string_view message,
                                          std::string_view path);

/// The headers that every answer of the blocking routes has: not to be kept by caches, and the GPU.
void add_compat_headers(http::Response& response, const HostInfo& host);

}  // namespace assay::api
