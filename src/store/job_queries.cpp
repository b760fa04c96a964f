// The reading side of JobStore, and forgetting.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/names.hpp"
#include "store/database.hpp"
#include "store/job_rows.hpp"
#include "store/job_store.hpp"

namespace assay::store {
namespace {

/// Deleted at a time: a long transaction would hold up submissions.
constexpr std::int64_t kSweepBatch = 256;

std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "?" : ", ?";
  return text;
}

/// A text depends only on which filters there are and how long, so few are ever prepared.
std::string list_sql(const JobFilter& filter) {
  std::string sql = fmt::format("SELECT {} FROM jobs WHERE number < ?", kJobColumns);
  if (!filter.id_prefix.empty()) sql += " AND substr(id, 1, length(?)) = ?";
  if (!filter.states.empty()) sql += " AND state IN (" + placeholders(filter.states.size()) + ")";
  if (!filter.verdicts.empty()) {
    sql += " AND verdict IN (" + placeholders(filter.verdicts.size()) + ")";
  }
  if (filter.created_after) sql += " AND created > ?";
  if (filter.created_before) sql += " AND created < ?";
  return sql + " ORDER BY number DESC LIMIT ?";
}

void bind_list(Statement& query, const JobFilter& filter, std::optional<Cursor> cursor,
               std::size_t limit) {
  query.bind(cursor ? cursor->before : INT64_MAX);
  if (!filter.id_prefix.empty()) {
    query.bind(std::string_view(filter.id_prefix)).bind(std::string_view(filter.id_prefix));
  }
  for (const JobState state : filter.states) query.bind(to_string(state));
  for (const std::string& verdict : filter.verdicts) query.bind(std::string_view(verdict));
  for (const auto& time : {filter.created_after, filter.created_before}) {
    if (time) query.bind(time->time_since_epoch().count());
  }
  query.bind(static_cast<std::int64_t>(limit));
}

Result<void> count_by_state(Database& database, JobCounts& counts) {
  Statement query =
      database.statement("SELECT state, verdict, count(*) FROM jobs GROUP BY state, verdict");
  while (true) {
    ASSAY_TRY(const bool more, query.step());
    if (!more) return {};
    const auto count = static_cast<std::uint64_t>(query.integer(2));
    if (const auto state = value_in(kJobStateNames, query.text(0))) {
      counts.by_state[*state] += count;
    }
    if (const auto verdict = query.optional_text(1)) counts.by_verdict[*verdict] += count;
  }
}

Result<std::optional<WallTime>> read_time(Database& database, std::string_view sql) {
  Statement query = database.statement(sql);
  ASSAY_TRY(const bool found, query.step());
  if (!found || query.is_null(0)) return std::nullopt;
  return WallTime(std::chrono::milliseconds(query.integer(0)));
}

}  // namespace

JobStore::Reader& JobStore::reader() {
  return readers_[next_reader_.fetch_add(1, std::memory_order_relaxed) % kReaders];
}

Result<Job> JobStore::get(const JobId& id) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(JobRow row, find_job(from.database, id));
  ASSAY_TRY(row.job.body, read_body(from.database, row.number));
  ASSAY_TRY(row.job.result, read_result(from.database, row.number));
  return std::move(row.job);
}

Result<std::string> JobStore::artifact(const JobId& id, std::string_view name) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(const JobRow row, find_job(from.database, id));
  return read_artifact(from.database, row.number, name);
}

Result<Page> JobStore::list(const JobFilter& filter, std::optional<Cursor> cursor,
                            std::size_t limit) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  Statement query = from.database.statement(list_sql(filter));
  bind_list(query, filter, cursor, limit + 1);  // one more tells whether a page follows
  Page page;
  std::int64_t last = 0;
  while (true) {
    ASSAY_TRY(const bool more, query.step());
    if (!more) return page;
    if (page.jobs.size() == limit) {
      page.next = Cursor{last};
      return page;
    }
    ASSAY_TRY(JobRow row, read_job(query));
    last = row.number;
    page.jobs.push_back(std::move(row.job));
  }
}

Result<std::vector<JobEvent>> JobStore::events(const JobId& id, std::int64_t after_sequence) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(const JobRow row, find_job(from.database, id));
  Statement query = from.database.statement(
      "SELECT sequence, at, state, detail FROM events WHERE job = ? AND sequence > ? "
      "ORDER BY sequence");
  query.bind(row.number).bind(after_sequence);
  std::vector<JobEvent> events;
  while (true) {
    ASSAY_TRY(const bool more, query.step());
    if (!more) return events;
    const auto state = value_in(kJobStateNames, query.text(2));
    if (!state) return assay::fail(ErrorCode::data_loss, "an event has no known state");
    events.push_back({.sequence = query.integer(0),
                      .at = WallTime(std::chrono::milliseconds(query.integer(1))),
                      .state = *state,
                      .detail = query.text(3)});
  }
}

Result<JobCounts> JobStore::counts() {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  JobCounts counts;
  if (auto done = count_by_state(from.database, counts); !done) {
    return std::unexpected(std::move(done).error());
  }
  ASSAY_TRY(counts.oldest_queued,
            read_time(from.database, "SELECT min(created) FROM jobs WHERE state = 'queued'"));
  ASSAY_TRY(counts.mean_created,
            read_time(from.database, "SELECT cast(avg(created) AS INTEGER) FROM jobs"));
  return counts;
}

Result<std::size_t> JobStore::sweep_batch(std::string_view sql, std::int64_t bound) {
  const MutexLock lock(mutex_);
  auto done = writer_.statement(sql).bind(kSweepBatch).bind(bound).run();
  if (!done) return std::unexpected(std::move(done).error());
  return static_cast<std::size_t>(writer_.changes());
}

Result<std::size_t> JobStore::sweep(std::chrono::milliseconds age, std::size_t count) {
  constexpr std::string_view kTooOld =
      "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE finished IS NOT NULL "
      "AND finished < ?2 LIMIT ?1)";
  constexpr std::string_view kTooMany =
      "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE finished IS NOT NULL "
      "ORDER BY finished DESC, number DESC LIMIT ?1 OFFSET ?2)";
  const std::pair<std::string_view, std::int64_t> rules[] = {
      {kTooOld, (clock_.wall_now() - age).time_since_epoch().count()},
      {kTooMany,
       std::in_range<std::int64_t>(count) ? static_cast<std::int64_t>(count) : INT64_MAX}};
  std::size_t total = 0;
  for (const auto& [sql, bound] : rules) {
    while (true) {
      ASSAY_TRY(const std::size_t removed, sweep_batch(sql, bound));
      total += removed;
      if (removed < static_cast<std::size_t>(kSweepBatch)) break;
    }
  }
  return total;
}

}  // namespace assay::store
