#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "store/job_store.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {

/// What GET /v1/jobs asks for.
struct JobQuery {
  store::JobFilter filter;
  std::optional<store::Cursor> cursor;
  std::size_t limit = 50;
};

/// Fails with the first parameter that is wrong.
[[nodiscard]] std::expected<JobQuery, wire::FieldError> read_job_query(
    const http::Request& request);

/// "2026-01-31T12:00:00Z", with or without fraction, or seconds since the epoch.
[[nodiscard]] Result<WallTime> parse_time(std::string_view text);

/// A parameter that is "true", "1" or empty; absent or anything else is false.
[[nodiscard]] bool is_asked_for(const http::Request& request, std::string_view name);

}  // namespace assay::api
