#include "store/job_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "model/artifact.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/request.hpp"
#include "store/compression.hpp"
#include "store/data_dir.hpp"
#include "store/database.hpp"
#include "store/job_rows.hpp"
#include "store/migrations.hpp"

namespace assay::store {
namespace {

constexpr std::uint64_t kPageBytes = 4096;  // SQLite's own choice

/// Two owners may use one key.
std::optional<std::string> stored_key(const NewJob& request) {
  if (!request.idempotency_key || !request.owner) return request.idempotency_key;
  return *request.owner + "/" + *request.idempotency_key;
}

std::string digest_of(const NewJob& request) {
  const Digest digest = Hasher().field(to_string(request.form)).field(request.body).finish();
  return {digest.bytes.begin(), digest.bytes.end()};
}

/// The job that `key` names, if any; `conflict` where it named another request.
Result<std::optional<Job>> find_by_key(Database& database, std::string_view key,
                                       std::string_view digest) {
  static const std::string kSql =
      fmt::format("SELECT {}, request_digest FROM jobs WHERE idempotency_key = ?", kJobColumns);
  Statement query = database.statement(kSql);
  ASSAY_TRY(const bool found, query.bind(key).step());
  if (!found) return std::nullopt;
  ASSAY_TRY(JobRow row, read_job(query));
  if (query.text(kAfterJobColumns) != digest) {
    return fail(ErrorCode::conflict,
                fmt::format("idempotency key '{}' belongs to another request", key));
  }
  ASSAY_TRY(const auto packed, packed_result(database, row.number));
  if (packed) {
    ASSAY_TRY(row.job.result, unpack(*packed));
  }
  return std::move(row.job);
}

Result<void> insert_job(Database& database, const Job& job, const NewJob& request,
                        std::string_view packed, std::int64_t turn, std::string_view digest) {
  Statement insert = database.statement(
      "INSERT INTO jobs (id, form, state, priority, turn, attempts, events, owner, device, "
      "created, "
      "idempotency_key, request_digest, name, kernel_type) "
      "VALUES (?, ?, ?, ?, ?, 0, 1, ?, ?, ?, ?, ?, ?, ?)");
  const auto key = stored_key(request);
  insert.bind(job.id.value).bind(to_string(job.form)).bind(to_string(job.state)).bind(job.priority);
  insert.bind(turn).bind(job.owner);
  request.device ? insert.bind(request.device->value) : insert.bind_null();
  insert.bind(job.created.time_since_epoch().count()).bind(key);
  key ? insert.bind_blob(digest) : insert.bind_null();
  insert.bind(std::string_view(job.name)).bind(std::string_view(job.kernel_type));
  if (auto done = insert.run(); !done) return done;
  const std::int64_t number = database.last_row();
  Statement body = database.statement("INSERT INTO bodies VALUES (?, ?)");
  if (auto done = body.bind(number).bind_blob(packed).run(); !done) return done;
  return write_event(database, number,
                     {.sequence = 1, .at = job.created, .state = job.state, .detail = {}});
}

Result<std::size_t> count_queued(Database& database) {
  Statement query = database.statement("SELECT count(*) FROM jobs WHERE state = 'queued'");
  ASSAY_TRY([[maybe_unused]] const bool row, query.step());
  return static_cast<std::size_t>(query.integer(0));
}

}  // namespace

JobStore::JobStore(const Clock& clock, JobStoreOptions options, DiskRoom room, Database writer,
                   Database first, Database second)
    : clock_(clock),
      options_(options),
      room_(std::move(room)),
      writer_(std::move(writer)),
      readers_{Reader(std::move(first)), Reader(std::move(second))} {}

Result<std::unique_ptr<JobStore>> JobStore::open(const DataDir& dir, const Clock& clock,
                                                 JobStoreOptions options) {
  const DiskRoom room(dir.path(), options.keep_free);
  auto opened = open_files(dir, clock, options, room);
  // Even reading needs a little room, for the index of the log.
  if (!opened && room.free_bytes() < DiskRoom::kReserve && room.give_up_reserve()) {
    opened = open_files(dir, clock, options, room);
  }
  if (opened) room.keep_reserve();
  return opened;
}

Result<std::unique_ptr<JobStore>> JobStore::open_files(const DataDir& dir, const Clock& clock,
                                                       const JobStoreOptions& options,
                                                       const DiskRoom& room) {
  ASSAY_TRY(Database writer, Database::open(dir.database(), Database::Mode::read_write));
  auto ready = writer.execute(
      // Vacuuming by parts can be chosen only while the file is empty.
      fmt::format("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; "
                  "PRAGMA synchronous = {}; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; "
                  "PRAGMA journal_size_limit = 67108864; PRAGMA max_page_count = {}",
                  options.survive_power_loss ? "FULL" : "NORMAL", options.max_bytes / kPageBytes));
  if (ready) ready = migrate(writer, job_store_migrations(), clock);
  if (!ready) {
    return std::unexpected(std::move(ready).error().while_doing("open " + dir.database().string()));
  }
  ASSAY_TRY(const std::size_t queued, count_queued(writer));
  ASSAY_TRY(Database first, Database::open(dir.database(), Database::Mode::read_only));
  ASSAY_TRY(Database second, Database::open(dir.database(), Database::Mode::read_only));
  std::unique_ptr<JobStore> store(
      new JobStore(clock, options, room, std::move(writer), std::move(first), std::move(second)));
  const MutexLock lock(store->mutex_);
  store->queued_ = queued;
  if (auto read = store->read_turns(); !read) return std::unexpected(std::move(read).error());
  return store;
}

Result<void> JobStore::read_turns() {
  Statement claimed = writer_.statement(
      "SELECT coalesce((SELECT min(turn) - 1 FROM jobs WHERE state = 'queued'), "
      "(SELECT max(turn) FROM jobs), 0)");
  ASSAY_TRY([[maybe_unused]] const bool row, claimed.step());
  claimed_turn_ = claimed.integer(0);
  Statement lasts = writer_.statement(
      "SELECT coalesce(owner, ''), max(turn) FROM jobs WHERE state = 'queued' GROUP BY owner");
  while (true) {
    ASSAY_TRY(const bool more, lasts.step());
    if (!more) return {};
    last_turns_[lasts.text(0)] = lasts.integer(1);
  }
}

/// A job that was claimed before its turn, for its priority or its device, must not make those who
/// come now wait behind all that it has passed.
std::int64_t JobStore::reached_turn(std::int64_t claimed) {
  if (last_turns_.size() < 2) return claimed;
  Statement first = writer_.statement("SELECT min(turn) FROM jobs WHERE state = 'queued'");
  const auto found = first.step();
  return found && *found && !first.is_null(0) ? std::min(claimed, first.integer(0)) : claimed;
}

std::int64_t JobStore::next_turn(const std::optional<std::string>& owner) {
  const auto last = last_turns_.find(owner.value_or(""));
  return 1 + std::max(claimed_turn_, last == last_turns_.end() ? 0 : last->second);
}

void JobStore::note_turn(const std::optional<std::string>& owner, std::int64_t turn) {
  // Who has nothing in line behind the newest claim is like one who was never there.
  std::erase_if(last_turns_, [this](const auto& known) {
    mutex_.assert_held();
    return known.second <= claimed_turn_;
  });
  std::int64_t& last = last_turns_[owner.value_or("")];
  last = std::max(last, turn);
}

Result<Submission> JobStore::submit(const NewJob& request, std::optional<std::size_t> max_queued) {
  const std::string digest = request.idempotency_key ? digest_of(request) : std::string();
  const std::string packed = pack(request.body);  // takes long: nobody else shall wait for it
  const MutexLock lock(mutex_);
  if (const auto key = stored_key(request)) {
    ASSAY_TRY(auto known, find_by_key(writer_, *key, digest));
    if (known) {
      known->body = request.body;
      return Submission{.job = *std::move(known), .created = false};
    }
  }
  if (max_queued && queued_ >= *max_queued) {
    return assay::fail(ErrorCode::resource_exhausted,
                       fmt::format("{} jobs are waiting already", queued_.load()));
  }
  Job job{.id = JobId{random_uuid()},
          .form = request.form,
          .body = request.body,
          .priority = request.priority,
          .created = clock_.wall_now(),
          .name = request.name,
          .kernel_type = request.kernel_type,
          .owner = request.owner};
  const std::int64_t turn = next_turn(request.owner);
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  auto done = insert_job(writer_, job, request, packed, turn, digest);
  if (done) done = transaction.commit();
  if (!done) return std::unexpected(std::move(done).error().while_doing("store a job"));
  ++queued_;
  note_turn(job.owner, turn);
  return Submission{.job = std::move(job), .created = true};
}

Result<std::optional<Job>> JobStore::claim_next(const Claim& claim) {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM jobs WHERE state = 'queued' AND (device = ?1 OR (device IS NULL AND ?2)) "
      "ORDER BY priority DESC, turn, number LIMIT 1",
      kJobColumns);
  const MutexLock lock(mutex_);
  if (queued_ == 0) return std::nullopt;
  std::optional<JobRow> row;
  {
    Statement query = writer_.statement(kSql);
    query.bind(claim.device.value).bind(std::int64_t{claim.only_pinned ? 0 : 1});
    ASSAY_TRY(const bool found, query.step());
    if (!found) return std::nullopt;
    ASSAY_TRY(row, read_job(query));
  }
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const JobEvent event,
            move_job(writer_, *row, {.step = JobStep::start, .detail = {}}, clock_.wall_now()));
  ASSAY_TRY(const std::string packed, packed_body(writer_, row->number));
  ASSAY_TRY(row->job.body, unpack(packed));
  if (auto done = transaction.commit(); !done) return std::unexpected(std::move(done).error());
  --queued_;
  claimed_turn_ = std::max(claimed_turn_, reached_turn(row->turn));
  row->job.state = event.state;
  row->job.started = event.at;
  ++row->job.attempts;
  return std::move(row->job);
}

Result<JobEvent> JobStore::advance(const JobId& id, JobStep step, std::string_view detail) {
  if (step == JobStep::finish || step == JobStep::fail || step == JobStep::interrupt) {
    return assay::fail(ErrorCode::invalid_argument,
                       fmt::format("'{}' needs more than a step", to_string(step)));
  }
  const MutexLock lock(mutex_);
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const JobRow row, find_job(writer_, id));
  ASSAY_TRY(JobEvent event,
            move_job(writer_, row, {.step = step, .detail = detail}, clock_.wall_now()));
  if (auto done = transaction.commit(); !done) return std::unexpected(std::move(done).error());
  if (row.job.state == JobState::queued) --queued_;
  return event;
}

Result<JobEvent> JobStore::finish(const JobId& id, std::string_view verdict,
                                  std::string_view result, std::string_view detail,
                                  std::span<const Artifact> artifacts,
                                  std::optional<double> speedup) {
  const std::string packed = pack(result);
  std::vector<std::pair<std::string_view, std::string>> files;
  for (const Artifact& artifact : artifacts) {
    if (!artifact.absent) files.emplace_back(artifact.name, pack(artifact.text));
  }
  const MutexLock lock(mutex_);
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const JobRow row, find_job(writer_, id));
  const Change change{
      .step = JobStep::finish, .detail = detail, .verdict = verdict, .speedup = speedup};
  ASSAY_TRY(JobEvent event, move_job(writer_, row, change, clock_.wall_now()));
  Statement insert = writer_.statement("INSERT INTO results VALUES (?, ?)");
  auto done = insert.bind(row.number).bind_blob(packed).run();
  for (const auto& [name, bytes] : files) {
    if (done) done = write_artifact(writer_, row.number, name, bytes);
  }
  if (done) done = transaction.commit();
  if (!done) return std::unexpected(std::move(done).error());
  return event;
}

Result<JobEvent> JobStore::fail(const JobId& id, const Error& error) {
  const MutexLock lock(mutex_);
  ASSAY_TRY(Transaction transaction, Transaction::begin(writer_));
  ASSAY_TRY(const JobRow row, find_job(writer_, id));
  ASSAY_TRY(
      JobEvent event,
      move_job(writer_, row, {.step = JobStep::fail, .detail = error.message(), .error = &error},
               clock_.wall_now()));
  if (auto done = transaction.commit(); !done) return std::unexpected(std::move(done).error());
  if (row.job.state == JobState::queued) --queued_;
  return event;
}

}  // namespace assay::store
