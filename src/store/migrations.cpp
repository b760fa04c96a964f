#include "store/migrations.hpp"

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "store/database.hpp"

namespace assay::store {
namespace {

// Bodies and results are in tables of their own because SQLite rewrites a whole row at each
// change, and a job's row changes at every step.
constexpr std::array kJobStore = {Migration{.version = 1, .name = "jobs and events", .sql = R"sql(
CREATE TABLE jobs (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of arrival; pages follow it
  id              TEXT    NOT NULL UNIQUE,
  form            TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  priority        INTEGER NOT NULL,
  turn            INTEGER NOT NULL,  -- place in the queue; an interrupted job goes behind the others
  attempts        INTEGER NOT NULL,
  events          INTEGER NOT NULL,  -- sequence of the newest event
  device          TEXT,              -- the one asked for; null: any
  created         INTEGER NOT NULL,  -- milliseconds since 1970
  started         INTEGER,
  finished        INTEGER,
  verdict         TEXT,
  error_code      TEXT,
  error_message   TEXT,
  idempotency_key TEXT UNIQUE,
  request_digest  BLOB               -- of form and body, beside a key
);
CREATE INDEX jobs_in_line  ON jobs (priority DESC, turn, number) WHERE state = 'queued';
CREATE INDEX jobs_by_state ON jobs (state, verdict);
CREATE INDEX jobs_finished ON jobs (finished) WHERE finished IS NOT NULL;
CREATE TABLE events (
  job      INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  state    TEXT    NOT NULL,
  detail   TEXT    NOT NULL,
  PRIMARY KEY (job, sequence)
) WITHOUT ROWID;
CREATE TABLE bodies (
  job   INTEGER PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
  bytes BLOB NOT NULL
);
CREATE TABLE results (
  job   INTEGER PRIMARY KEY REFERENCES jobs (number) ON DELETE CASCADE,
  bytes BLOB NOT NULL
);
)sql"},
                                  Migration{.version = 2, .name = "artifacts", .sql = R"sql(
CREATE TABLE artifacts (
  job   INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
  name  TEXT    NOT NULL,
  bytes BLOB    NOT NULL,
  PRIMARY KEY (job, name)
);
)sql"},
                                  Migration{.version = 3, .name = "lone deaths", .sql = R"sql(
-- How often in a row the server died while it worked on this job alone.
ALTER TABLE jobs ADD COLUMN lone_deaths INTEGER NOT NULL DEFAULT 0;
)sql"},
                                  Migration{.version = 4, .name = "what lists show", .sql = R"sql(
ALTER TABLE jobs ADD COLUMN name TEXT;         -- null: it has none
ALTER TABLE jobs ADD COLUMN kernel_type TEXT;  -- of the candidate; null: stored before this version
ALTER TABLE jobs ADD COLUMN speedup REAL;      -- null: not timed beside a reference
)sql"},
                                  Migration{.version = 5, .name = "owners", .sql = R"sql(
ALTER TABLE jobs ADD COLUMN owner TEXT;          -- a token's id; null: nobody in particular
ALTER TABLE jobs ADD COLUMN device_time INTEGER NOT NULL DEFAULT 0;  -- milliseconds
CREATE INDEX jobs_of_owner ON jobs (owner, number) WHERE owner IS NOT NULL;
CREATE INDEX jobs_unfinished ON jobs (owner) WHERE owner IS NOT NULL AND finished IS NULL;
)sql"}};

Result<std::int64_t> version_of(Database& database) {
  if (auto made = database.execute("CREATE TABLE IF NOT EXISTS migrations ("
                                   "version INTEGER PRIMARY KEY, name TEXT NOT NULL, "
                                   "applied INTEGER NOT NULL)");
      !made) {
    return std::unexpected(std::move(made).error());
  }
  Statement query = database.statement("SELECT coalesce(max(version), 0) FROM migrations");
  ASSAY_TRY([[maybe_unused]] const bool row, query.step());
  return query.integer(0);
}

Result<void> apply(Database& database, const Migration& migration, WallTime now) {
  ASSAY_TRY(Transaction transaction, Transaction::begin(database));
  auto done = database.execute(migration.sql);
  if (done) {
    done = database.statement("INSERT INTO migrations VALUES (?, ?, ?)")
               .bind(std::int64_t{migration.version})
               .bind(migration.name)
               .bind(now.time_since_epoch().count())
               .run();
  }
  if (done) return transaction.commit();
  return std::unexpected(std::move(done).error().while_doing(
      fmt::format("migrate to version {} ({})", migration.version, migration.name)));
}

}  // namespace

std::span<const Migration> job_store_migrations() {
  return kJobStore;
}

Result<void> migrate(Database& database, std::span<const Migration> migrations,
                     const Clock& clock) {
  ASSAY_TRY(const std::int64_t version, version_of(database));
  const std::int64_t newest = migrations.empty() ? 0 : migrations.back().version;
  if (version > newest) {
    return fail(ErrorCode::conflict,
                fmt::format("the data has schema version {}, written by a newer assay; this one "
                            "knows versions up to {}",
                            version, newest));
  }
  for (const Migration& migration : migrations) {
    if (migration.version <= version) continue;
    if (auto applied = apply(database, migration, clock.wall_now()); !applied) return applied;
  }
  return {};
}

}  // namespace assay::store
