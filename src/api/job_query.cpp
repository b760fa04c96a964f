#include "api/job_query.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>
#include <time.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/result.hpp"
#include "http/message.hpp"
#include "model/job.hpp"
#include "model/names.hpp"
#include "model/verdict.hpp"
#include "store/job_store.hpp"
#include "wire/decode_error.hpp"

namespace assay::api {
namespace {

constexpr std::size_t kMaxLimit = 500;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

/// What is wrong with a parameter; nothing where it was taken.
using Refusal = std::optional<wire::FieldError>;

Refusal bad(std::string_view name, std::string_view value, std::string_view what,
            std::string_view type) {
  return wire::FieldError{.path = {std::string(name)},
                          .message = fmt::format("'{}' is not {}", value, what),
                          .type = std::string(type)};
}

std::string states() {
  std::vector<std::string_view> names;
  for (const auto& [state, name] : kJobStateNames) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Refusal unknown(std::string_view name) {
  const std::vector<std::string> known{
      "id", "state", "verdict", "created_after", "created_before", "limit", "cursor"};
  const auto meant = nearest(name, known);
  return wire::FieldError{
      .path = {std::string(name)},
      .message = fmt::format("there is no parameter '{}'{} Known: {}", name,
                             meant ? fmt::format(": did you mean {}?", *meant) : ".",
                             fmt::join(known, ", ")),
      .type = "extra_forbidden"};
}

Refusal apply(JobQuery& query, std::string_view name, std::string_view value) {
  if (name == "id") {
    query.filter.id_prefix = value;
  } else if (name == "state") {
    const auto state = value_in(kJobStateNames, value);
    if (!state) return bad(name, value, "a state of a job: " + states(), "enum");
    query.filter.states.push_back(*state);
  } else if (name == "verdict") {
    if (std::ranges::find(kVerdictNames, value) == kVerdictNames.end()) {
      return bad(name, value, fmt::format("a verdict: {}", fmt::join(kVerdictNames, ", ")), "enum");
    }
    query.filter.verdicts.emplace_back(value);
  } else if (name == "created_after" || name == "created_before") {
    const auto time = parse_time(value);
    if (!time) return bad(name, value, "a time", "datetime_parsing");
    (name == "created_after" ? query.filter.created_after : query.filter.created_before) = *time;
  } else if (name == "limit") {
    const auto limit = parse_number<std::size_t>(value);
    if (!limit || *limit == 0 || *limit > kMaxLimit) {
      return bad(name, value, fmt::format("a number from 1 to {}", kMaxLimit), "int_parsing");
    }
    query.limit = *limit;
  } else if (name == "cursor") {
    const auto before = parse_number<std::int64_t>(value);
    if (!before) return bad(name, value, "a cursor that this server gave", "int_parsing");
    query.cursor = store::Cursor{*before};
  } else {
    return unknown(name);
  }
  return std::nullopt;
}

}  // namespace

std::expected<JobQuery, wire::FieldError> read_job_query(const http::Request& request) {
  JobQuery query;
  for (const auto& [name, value] : request.query) {
    if (auto refusal = apply(query, name, value)) return std::unexpected(*std::move(refusal));
  }
  return query;
}

Result<WallTime> parse_time(std::string_view text) {
  using std::chrono::milliseconds;
  if (const auto seconds = parse_number<double>(text); seconds && std::abs(*seconds) < 1e12) {
    return WallTime(milliseconds(static_cast<std::int64_t>(*seconds * 1000)));
  }
  std::tm utc{};
  const std::string copy(text);
  const char* rest = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  if (rest == nullptr) return fail(ErrorCode::invalid_argument, "not a time");
  double fraction = 0;
  if (*rest == '.') {
    const char* end = std::find(rest, copy.c_str() + copy.size(), 'Z');
    const auto parsed = parse_number<double>(std::string_view(rest, end));
    if (!parsed) return fail(ErrorCode::invalid_argument, "not a time");
    fraction = *parsed;
    rest = end;
  }
  if (std::string_view(rest) != "Z") {
    return fail(ErrorCode::invalid_argument, "a time ends with Z: it is given in UTC");
  }
  return WallTime(milliseconds(std::int64_t{::timegm(&utc)} * 1000 +
                               static_cast<std::int64_t>(fraction * 1000)));
}

bool is_asked_for(const http::Request& request, std::string_view name) {
  const auto value = request.query_value(name);
  return value && (*value == "true" || *value == "1" || value->empty());
}

}  // namespace assay::api
