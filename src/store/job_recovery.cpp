// Attempts that were cut short, and what an earlier run left behind.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
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
#include "store/database.hpp"
#include "store/job_rows.hpp"
#include "store/job_store.hpp"

namespace assay::store {
namespace {

Result<std::vector<JobRow>> read_jobs(Statement query) {
  std::vector<JobRow> rows;
  while (true) {
    ASSAY_TRY(const bool more, query.step());
    if (!more) return rows;
    ASSAY_TRY(JobRow row, read_job(query));
    rows.push_back(std::move(row));
  }
}

enum class Attempted : std::uint8_t { counted, not_counted };

/// Behind the others.
Result<JobEvent> requeue(Database& database, const JobRow& row, std::string_view reason,
                         Attempted attempted, WallTime now) {
  ASSAY_TRY(JobEvent event,
            move_job(database, row, {.step = JobStep::interrupt, .detail = reason}, now));
  Statement update = database.statement(
      "UPDATE jobs SET turn = (SELECT max(turn) + 1 FROM jobs WHERE state = 'queued'), "
      "attempts = attempts - ? WHERE number = ?");
  update.bind(std::int64_t{attempted == Attempted::counted ? 0 : 1}).bind(row.number);
  if (auto done = update.run(); !done) return std::unexpected(std::move(done).error());
  return event;
}

Result<JobEvent> give_up(Database& database, const JobRow& row, std::string reason, WallTime now) {
  const Error error(ErrorCode::unavailable, std::move(reason));
  return move_job(database, row,
                  {.step = JobStep::fail, .detail = error.message(), .error = &error}, now);
}

/// Sends it back behind the others, or fails it when it had its attempts.
Result<Interruption> interrupt_job(Database& database, const JobRow& row, std::string_view reason,
                                   int max_attempts, WallTime now) {
  const bool again = row.job.attempts < max_attempts;
  auto event = again ? requeue(database, row, reason, Attempted::counted, now)
                     : give_up(database, row,
                               fmt::format("given up after {} attempts; the last: {}",
                                           row.job.attempts, reason),
                               now);
  if (!event) return std::unexpected(std::move(event).error());
  return Interruption{.event = *std::move(event), .requeued = again};
}

/// How often in a row the server died over these jobs, if it is one alone: then it may be the one
/// that kills it. Zero where there were several, each of which had company.
Result<std::int64_t> note_death(Database& database, const std::vector<JobRow>& interrupted) {
  const std::int64_t alone = interrupted.size() == 1 ? interrupted.front().number : 0;
  auto others =
      database.statement("UPDATE jobs SET lone_deaths = 0 WHERE lone_deaths > 0 AND number <> ?");
  if (auto done = others.bind(alone).run(); !done) return std::unexpected(std::move(done).error());
  if (alone == 0) return 0;
  Statement mine = database.statement(
      "UPDATE jobs SET lone_deaths = lone_deaths + 1 WHERE number = ? RETURNING lone_deaths");
  ASSAY_TRY([[maybe_unused]] const bool found, mine.bind(alone).step());
  return mine.integer(0);
}

}  // namespace

Result<Interruption> JobStore::interrupt(const JobId& id, std::string_view reason) {
  const MutexLock lock(mutex_);
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const JobRow row, find_job(writer_, id));
  ASSAY_TRY(Interruption interruption,
            interrupt_job(writer_, row, reason, options_.max_attempts, clock_.wall_now()));
  if (auto done = transaction.commit(); !done) return std::unexpected(std::move(done).error());
  if (!interruption.requeued) return interruption;
  ++queued_;
  if (auto read = read_turns(); !read) return std::unexpected(std::move(read).error());
  return interruption;
}

Result<JobEvent> JobStore::give_back(const JobId& id, std::string_view reason) {
  const MutexLock lock(mutex_);
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const JobRow row, find_job(writer_, id));
  ASSAY_TRY(JobEvent event, move_job(writer_, row, {.step = JobStep::interrupt, .detail = reason},
                                     clock_.wall_now()));
  auto done = writer_.statement("UPDATE jobs SET attempts = attempts - 1 WHERE number = ?")
                  .bind(row.number)
                  .run();
  if (done) done = transaction.commit();
  if (!done) return std::unexpected(std::move(done).error());
  ++queued_;
  return event;
}

Result<Recovery> JobStore::recover() {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM jobs WHERE state NOT IN ('queued', 'done', 'failed', 'cancelled')",
      kJobColumns);
  const MutexLock lock(mutex_);
  ASSAY_TRY(const std::vector<JobRow> interrupted, read_jobs(writer_.statement(kSql)));
  if (interrupted.empty()) return Recovery{};
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const std::int64_t lone_deaths, note_death(writer_, interrupted));
  Recovery recovery;
  for (const JobRow& row : interrupted) {
    const std::string reason =
        fmt::format("the server stopped while the job was {}", to_string(row.job.state));
    const bool again = lone_deaths < options_.max_attempts;
    auto moved = again ? requeue(writer_, row, reason, Attempted::not_counted, clock_.wall_now())
                       : give_up(writer_, row,
                                 fmt::format("the server stopped {} times in a row while it worked "
                                             "on this job alone",
                                             lone_deaths),
                                 clock_.wall_now());
    if (!moved) return std::unexpected(std::move(moved).error());
    ++(again ? recovery.requeued : recovery.failed);
  }
  if (auto done = transaction.commit(); !done) return std::unexpected(std::move(done).error());
  queued_ += recovery.requeued;
  if (auto read = read_turns(); !read) return std::unexpected(std::move(read).error());
  return recovery;
}

Result<std::size_t> JobStore::fail_stranded(const std::vector<DeviceId>& devices) {
  static const std::string kSql = fmt::format(
      "SELECT {}, device FROM jobs WHERE state = 'queued' AND device IS NOT NULL", kJobColumns);
  const MutexLock lock(mutex_);
  std::vector<std::pair<JobRow, Error>> stranded;
  {
    Statement query = writer_.statement(kSql);
    while (true) {
      ASSAY_TRY(const bool more, query.step());
      if (!more) break;
      const DeviceId device{query.text(kAfterJobColumns)};
      if (std::ranges::find(devices, device) != devices.end()) continue;
      ASSAY_TRY(JobRow row, read_job(query));
      stranded.emplace_back(std::move(row), Error(ErrorCode::unavailable,
                                                  "this server has no device " + device.value));
    }
  }
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  for (const auto& [row, error] : stranded) {
    const Change change{.step = JobStep::fail, .detail = error.message(), .error = &error};
    ASSAY_TRY(const JobEvent event, move_job(writer_, row, change, clock_.wall_now()));
  }
  if (auto done = transaction.commit(); !done) return std::unexpected(std::move(done).error());
  queued_ -= stranded.size();
  return stranded.size();
}

}  // namespace assay::store
