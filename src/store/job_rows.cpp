#include "store/job_rows.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/names.hpp"
#include "model/request.hpp"
#include "store/database.hpp"

namespace assay::store {
namespace {

WallTime wall_time(std::int64_t milliseconds) {
  return WallTime(std::chrono::milliseconds(milliseconds));
}

std::optional<WallTime> optional_time(const Statement& row, int column) {
  const auto milliseconds = row.optional_integer(column);
  if (!milliseconds) return std::nullopt;
  return wall_time(*milliseconds);
}

std::optional<ErrorCode> parse_error_code(std::string_view name) {
  for (auto code = ErrorCode::invalid_argument; code <= ErrorCode::internal;
       code = static_cast<ErrorCode>(static_cast<std::uint8_t>(code) + 1)) {
    if (to_string(code) == name) return code;
  }
  return std::nullopt;
}

Result<std::optional<std::string>> read_packed(Database& database, std::string_view sql,
                                               std::int64_t number) {
  Statement query = database.statement(sql);
  ASSAY_TRY(const bool found, query.bind(number).step());
  if (!found) return std::nullopt;
  return query.text(0);
}

}  // namespace

Result<JobRow> read_job(const Statement& row) {
  const auto form = value_in(kRequestFormNames, row.text(2));
  const auto state = value_in(kJobStateNames, row.text(3));
  if (!form || !state) {
    return fail(ErrorCode::data_loss, fmt::format("job {} has form '{}' and state '{}'",
                                                  row.text(1), row.text(2), row.text(3)));
  }
  JobRow read{.number = row.integer(0),
              .turn = row.integer(16),
              .job = {.id = JobId{row.text(1)},
                      .form = *form,
                      .state = *state,
                      .priority = static_cast<int>(row.integer(4)),
                      .attempts = static_cast<int>(row.integer(5)),
                      .created = wall_time(row.integer(6)),
                      .started = optional_time(row, 7),
                      .finished = optional_time(row, 8),
                      .verdict = row.optional_text(9),
                      .name = row.optional_text(12).value_or(""),
                      .kernel_type = row.optional_text(13).value_or(""),
                      .speedup = row.optional_real(14),
                      .owner = row.optional_text(15)}};
  if (!row.is_null(10)) {
    const ErrorCode code = parse_error_code(row.text(10)).value_or(ErrorCode::internal);
    read.job.error = Error(code, row.text(11));
  }
  return read;
}

Result<JobRow> find_job(Database& database, const JobId& id) {
  static const std::string kSql = fmt::format("SELECT {} FROM jobs WHERE id = ?", kJobColumns);
  Statement query = database.statement(kSql);
  ASSAY_TRY(const bool found, query.bind(id.value).step());
  if (!found) return fail(ErrorCode::not_found, fmt::format("no job {}", id.value));
  return read_job(query);
}

Result<std::string> packed_body(Database& database, std::int64_t number) {
  ASSAY_TRY(auto body, read_packed(database, "SELECT bytes FROM bodies WHERE job = ?", number));
  if (!body) return fail(ErrorCode::data_loss, "the job has lost its request");
  return *std::move(body);
}

Result<std::optional<std::string>> packed_result(Database& database, std::int64_t number) {
  return read_packed(database, "SELECT bytes FROM results WHERE job = ?", number);
}

Result<void> write_artifact(Database& database, std::int64_t number, std::string_view name,
                            std::string_view packed) {
  return database.statement("INSERT INTO artifacts VALUES (?, ?, ?)")
      .bind(number)
      .bind(name)
      .bind_blob(packed)
      .run();
}

Result<std::string> packed_artifact(Database& database, std::int64_t number,
                                    std::string_view name) {
  Statement query = database.statement("SELECT bytes FROM artifacts WHERE job = ? AND name = ?");
  ASSAY_TRY(const bool found, query.bind(number).bind(name).step());
  if (!found) return fail(ErrorCode::not_found, fmt::format("the job has no artifact '{}'", name));
  return query.text(0);
}

Result<void> write_event(Database& database, std::int64_t number, const JobEvent& event) {
  return database.statement("INSERT INTO events VALUES (?, ?, ?, ?, ?)")
      .bind(number)
      .bind(event.sequence)
      .bind(event.at.time_since_epoch().count())
      .bind(to_string(event.state))
      .bind(std::string_view(event.detail))
      .run();
}

Result<JobEvent> move_job(Database& database, const JobRow& row, const Change& change,
                          WallTime now) {
  const auto state = next_state(row.job.state, change.step);
  if (!state) {
    return fail(ErrorCode::conflict, fmt::format("job {} is {}: it cannot {}", row.job.id.value,
                                                 to_string(row.job.state), to_string(change.step)));
  }
  const std::int64_t at = now.time_since_epoch().count();
  Statement update = database.statement(
      "UPDATE jobs SET state = ?, events = events + 1, attempts = attempts + ?, "
      "started = coalesce(?, started), finished = ?, verdict = ?, speedup = ?, "
      "error_code = ?, error_message = ? WHERE number = ? RETURNING events");
  const bool starts = change.step == JobStep::start;
  update.bind(to_string(*state))
      .bind(std::int64_t{starts ? 1 : 0})
      .bind(starts ? std::optional(at) : std::nullopt)
      .bind(is_final(*state) ? std::optional(at) : std::nullopt)
      .bind(change.verdict)
      .bind_real(change.speedup);
  if (change.error == nullptr) {
    update.bind_null().bind_null();
  } else {
    update.bind(to_string(change.error->code())).bind(std::string_view(change.error->message()));
  }
  ASSAY_TRY(const bool updated, update.bind(row.number).step());
  if (!updated) return fail(ErrorCode::internal, "the job's row is gone");
  JobEvent event{.sequence = update.integer(0),
                 .at = now,
                 .state = *state,
                 .detail = std::string(change.detail)};
  if (auto written = write_event(database, row.number, event); !written) {
    return std::unexpected(std::move(written).error());
  }
  return event;
}

}  // namespace assay::store
