#include "api/answers.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/context.hpp"
#include "base/error.hpp"
#include "http/message.hpp"
#include "wire/decode_error.hpp"
#include "wire/value.hpp"

namespace assay::api {
namespace {

using wire::Value;

http::Response answer(int status, Value::Members members) {
  return http::Response::json(status, Value(std::move(members)).dump());
}

/// HTTP has errors that are none of ours: the path is there and the method is not, or who asks may
/// not.
std::string_view code_of(int status) {
  switch (status) {
    case 401:
      return "unauthenticated";
    case 403:
      return "forbidden";
    case 404:
      return to_string(ErrorCode::not_found);
    case 405:
      return "method_not_allowed";
    case 413:
    case 429:
    case 431:
      return to_string(ErrorCode::resource_exhausted);
    case 408:
      return to_string(ErrorCode::deadline_exceeded);
    case 503:
      return to_string(ErrorCode::unavailable);
    default:
      return to_string(status < 500 ? ErrorCode::invalid_argument : ErrorCode::internal);
  }
}

Value field_value(const wire::FieldError& field) {
  return Value::Members{
      {"path", wire::dotted_path(field)}, {"message", field.message}, {"type", field.type}};
}

struct CompatDecodeError {
  http::Response operator()(const wire::NotAnObject& error) const {
    return answer(422, {{"detail", Value::Elements{Value::Members{{"type", "json_invalid"},
                                                                  {"loc", Value::Elements{"body"}},
                                                                  {"msg", error.message}}}}});
  }
  http::Response operator()(const wire::InvalidFields& error) const {
    Value::Elements errors;
    for (const wire::FieldError& field : error.errors) {
      errors.push_back(Value::Members{
          {"field", wire::arrow_path(field)}, {"message", field.message}, {"type", field.type}});
    }
    return answer(400, {{"error", "Invalid request format"},
                        {"validation_errors", std::move(errors)},
                        {"status", "client_error"}});
  }
  http::Response operator()(const wire::OutOfBounds& error) const {
    return answer(400, {{"error", error.message},
                        {"details", Value::raw(error.details)},
                        {"status", "client_error"}});
  }
};

bool is_ours(std::string_view path) {
  return path.starts_with("/v1/");
}

}  // namespace

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
      return 409;
    case ErrorCode::resource_exhausted:
      return 429;
    case ErrorCode::unavailable:
      return 503;
    case ErrorCode::deadline_exceeded:
      return 504;
    case ErrorCode::cancelled:
      return 499;
    case ErrorCode::data_loss:
    case ErrorCode::internal:
      return 500;
  }
  std::unreachable();
}

http::Response error_answer(const Error& error) {
  return answer(
      status_of(error.code()),
      {{"error", Value::Members{{"code", to_string(error.code())}, {"message", error.message()}}}});
}

http::Response decode_error_answer(const wire::DecodeError& error) {
  Value::Elements fields;
  if (const auto* invalid = std::get_if<wire::InvalidFields>(&error)) {
    for (const wire::FieldError& field : invalid->errors) fields.push_back(field_value(field));
  } else if (const auto* bounds = std::get_if<wire::OutOfBounds>(&error)) {
    fields.push_back(field_value(bounds->field));
  }
  return answer(400, {{"error", Value::Members{{"code", to_string(ErrorCode::invalid_argument)},
                                               {"message", wire::describe(error)},
                                               {"fields", std::move(fields)}}}});
}

http::Response field_error_answer(wire::FieldError field) {
  return decode_error_answer(wire::InvalidFields{{std::move(field)}});
}

http::Response compat_decode_error(const wire::DecodeError& error, const HostInfo& host) {
  http::Response response = std::visit(CompatDecodeError{}, error);
  add_compat_headers(response, host);
  return response;
}

http::Response compat_server_error(const HostInfo& host, int status, std::string_view message,
                                   std::string_view job_id) {
  Value::Members members = {{"kernel_exec_result", Value::Members{}},
                            {"ref_runtime", Value::Members{}},
                            {"pod_name", host.name},
                            {"pod_ip", host.ip},
                            {"status", "error"},
                            {"error", message},
                            {"compilation_method", "cupy"}};
  if (!job_id.empty()) members.emplace_back("job_id", job_id);
  http::Response response = answer(status, std::move(members));
  add_compat_headers(response, host);
  return response;
}

http::Response shaped_error(int status, std::string_view message, std::string_view path) {
  if (is_ours(path)) {
    return answer(status,
                  {{"error", Value::Members{{"code", code_of(status)}, {"message", message}}}});
  }
  return answer(status, {{"detail", message}});
}

void add_compat_headers(http::Response& response, const HostInfo& host) {
  response.headers.set("Cache-Control", "no-cache, no-store, must-revalidate");
  response.headers.set("Pragma", "no-cache");
  response.headers.set("Expires", "0");
  if (!host.gpu_type.empty()) response.headers.set("X-GPU-Type", host.gpu_type);
}

}  // namespace assay::api
