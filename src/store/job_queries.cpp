// The reading side of JobStore, and forgetting.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
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
#include "store/compression.hpp"
#include "store/database.hpp"
#include "store/job_rows.hpp"
#include "store/job_store.hpp"

namespace assay::store {
namespace {

/// Deleted at a time: a long transaction would hold up submissions.
constexpr std::int64_t kSweepBatch = 256;

/// The names as a JSON array, for json_each. None of them needs escaping.
std::string array_of(const auto& names, auto text_of) {
  std::string text;
  for (const auto& name : names)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ",", text_of(name));
  return "[" + text + "]";
}

/// A text depends only on which filters there are: every one stays prepared for good.
std::string list_sql(const JobFilter& filter) {
  std::string sql = fmt::format("SELECT {} FROM jobs WHERE number < ?", kJobColumns);
  if (!filter.id_prefix.empty()) sql += " AND substr(id, 1, length(?)) = ?";
  if (!filter.states.empty()) sql += " AND state IN (SELECT value FROM json_each(?))";
  if (!filter.verdicts.empty()) sql += " AND verdict IN (SELECT value FROM json_each(?))";
  if (filter.created_after) sql += " AND created > ?";
  if (filter.created_before) sql += " AND created < ?";
  if (filter.owner) sql += " AND owner = ?";
  return sql + " ORDER BY number DESC LIMIT ?";
}

/// The names that a filter has, as list_sql wants them. They outlive the statement.
struct FilterNames {
  std::string states;
  std::string verdicts;
};

FilterNames names_of(const JobFilter& filter) {
  return {.states = array_of(filter.states, [](JobState state) { return to_string(state); }),
          .verdicts = array_of(filter.verdicts, std::identity{})};
}

void bind_list(Statement& query, const JobFilter& filter, const FilterNames& names,
               std::optional<Cursor> cursor, std::size_t limit) {
  query.bind(cursor ? cursor->before : INT64_MAX);
  if (!filter.id_prefix.empty()) {
    query.bind(std::string_view(filter.id_prefix)).bind(std::string_view(filter.id_prefix));
  }
  if (!filter.states.empty()) query.bind(std::string_view(names.states));
  if (!filter.verdicts.empty()) query.bind(std::string_view(names.verdicts));
  for (const auto& time : {filter.created_after, filter.created_before}) {
    if (time) query.bind(time->time_since_epoch().count());
  }
  if (filter.owner) query.bind(std::string_view(*filter.owner));
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

/// A number that SQLite tells of the file.
Result<std::int64_t> pragma(Database& database, std::string_view name) {
  Statement query = database.statement(name);
  ASSAY_TRY([[maybe_unused]] const bool row, query.step());
  return query.integer(0);
}

}  // namespace

JobStore::Reader& JobStore::reader() {
  return readers_[next_reader_.fetch_add(1, std::memory_order_relaxed) % kReaders];
}

Result<Job> JobStore::get_packed(const JobId& id) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(JobRow row, find_job(from.database, id));
  ASSAY_TRY(row.job.body, packed_body(from.database, row.number));
  ASSAY_TRY(row.job.result, packed_result(from.database, row.number));
  return std::move(row.job);
}

Result<std::string> JobStore::packed_artifact(const JobId& id, std::string_view name) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(const JobRow row, find_job(from.database, id));
  return store::packed_artifact(from.database, row.number, name);
}

Result<Job> JobStore::get(const JobId& id) {
  ASSAY_TRY(Job job, get_packed(id));
  ASSAY_TRY(job.body, unpack(job.body));
  if (job.result) {
    ASSAY_TRY(job.result, unpack(*job.result));
  }
  return job;
}

Result<JobState> JobStore::state(const JobId& id) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(const JobRow row, find_job(from.database, id));
  return row.job.state;
}

Result<std::string> JobStore::artifact(const JobId& id, std::string_view name) {
  ASSAY_TRY(const std::string packed, packed_artifact(id, name));
  return unpack(packed);
}

Result<Page> JobStore::list(const JobFilter& filter, std::optional<Cursor> cursor,
                            std::size_t limit) {
  const FilterNames names = names_of(filter);
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  Statement query = from.database.statement(list_sql(filter));
  bind_list(query, filter, names, cursor, limit + 1);  // one more tells whether a page follows
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

Result<std::optional<std::string>> JobStore::owner(const JobId& id) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(JobRow row, find_job(from.database, id));
  return std::move(row.job.owner);
}

Result<std::size_t> JobStore::unfinished(std::string_view owner) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  Statement query = from.database.statement(
      "SELECT count(*) FROM jobs WHERE owner = ? AND owner IS NOT NULL AND finished IS NULL");
  ASSAY_TRY([[maybe_unused]] const bool row, query.bind(owner).step());
  return static_cast<std::size_t>(query.integer(0));
}

Result<void> JobStore::charge(const JobId& id, std::chrono::milliseconds time) {
  const MutexLock lock(mutex_);
  return writer_.statement("UPDATE jobs SET device_time = device_time + ? WHERE id = ?")
      .bind(std::int64_t{time.count()})
      .bind(id.value)
      .run();
}

Result<std::vector<DeviceUse>> JobStore::device_use(WallTime since) {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  Statement query = from.database.statement(
      "SELECT owner, device_time, created FROM jobs WHERE owner IS NOT NULL AND device_time > 0 "
      "AND created > ? ORDER BY created");
  query.bind(since.time_since_epoch().count());
  std::vector<DeviceUse> uses;
  while (true) {
    ASSAY_TRY(const bool more, query.step());
    if (!more) return uses;
    uses.push_back({.owner = query.text(0),
                    .time = std::chrono::milliseconds(query.integer(1)),
                    .at = WallTime(std::chrono::milliseconds(query.integer(2)))});
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

Result<std::size_t> JobStore::sweep(std::chrono::milliseconds age, std::size_t count,
                                    std::uint64_t bytes) {
  constexpr std::string_view kTooOld =
      "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE finished IS NOT NULL "
      "AND finished < ?2 LIMIT ?1)";
  constexpr std::string_view kTooMany =
      "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE finished IS NOT NULL "
      "ORDER BY finished DESC, number DESC LIMIT ?1 OFFSET ?2)";
  constexpr std::string_view kOldest =
      "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs WHERE finished IS NOT NULL "
      "ORDER BY finished, number LIMIT ?1 / ?2)";
  constexpr std::int64_t kPart = kSweepBatch / 4;  // jobs may be large: four, and look again
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
  while (bytes != UINT64_MAX) {
    ASSAY_TRY(const std::uint64_t held, bytes_held());
    if (held <= bytes) break;
    ASSAY_TRY(const std::size_t removed, sweep_batch(kOldest, kPart));
    total += removed;
    if (removed == 0) break;
  }
  vacuum();
  return total;
}

Result<std::uint64_t> JobStore::bytes_held() {
  Reader& from = reader();
  const MutexLock lock(from.mutex);
  ASSAY_TRY(const std::int64_t pages, pragma(from.database, "PRAGMA page_count"));
  ASSAY_TRY(const std::int64_t unused, pragma(from.database, "PRAGMA freelist_count"));
  ASSAY_TRY(const std::int64_t size, pragma(from.database, "PRAGMA page_size"));
  return static_cast<std::uint64_t>((pages - unused) * size);
}

Result<void> JobStore::check_room(std::size_t bytes) {
  if (auto room = room_.check(bytes); !room) return room;
  constexpr std::uint64_t kForItsEnd = std::uint64_t{256} << 10U;
  ASSAY_TRY(const std::uint64_t held, bytes_held());
  if (held + bytes + kForItsEnd <= options_.max_bytes) return {};
  return assay::fail(ErrorCode::resource_exhausted,
                     fmt::format("jobs hold {} MiB, and may hold {} MiB at most", held >> 20U,
                                 options_.max_bytes >> 20U));
}

/// A little at a time, so that submissions get their turns.
void JobStore::vacuum() {
  constexpr int kMostTimes = 256;
  for (int i = 0; i < kMostTimes; ++i) {
    const MutexLock lock(mutex_);
    const auto before = pragma(writer_, "PRAGMA freelist_count");
    if (!before || *before == 0) return;
    // What cannot be given back now is used for the next jobs.
    if (auto done = writer_.statement("PRAGMA incremental_vacuum(256)").run(); !done) return;
    const auto after = pragma(writer_, "PRAGMA freelist_count");
    if (!after || *after >= *before) return;  // a file made before this could be chosen
  }
}

}  // namespace assay::store
