#include "store/data_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "store/compression.hpp"
#include "store/data_dir.hpp"
#include "store/database.hpp"
#include "store/job_rows.hpp"
#include "store/migrations.hpp"

namespace assay::store {
namespace {

constexpr std::array<std::string_view, 4> kParts = {"events", "bodies", "results", "artifacts"};

class Checker {
 public:
  Checker(Database& database, const Clock& clock, bool mend)
      : database_(database), clock_(clock), mend_(mend) {}

  Result<DataReport> run() {
    for (const auto step : {&Checker::check_file, &Checker::check_orphans, &Checker::check_bodies,
                            &Checker::check_results, &Checker::check_packed, &Checker::check_events,
                            &Checker::check_vacuum, &Checker::count}) {
      if (auto done = (this->*step)(); !done) return std::unexpected(std::move(done).error());
    }
    return std::move(report_);
  }

 private:
  void found(std::string what, bool mended) {
    report_.findings.push_back({.what = std::move(what), .mended = mended});
  }

  Result<void> check_file() {
    Statement check = database_.statement("PRAGMA integrity_check");
    while (true) {
      ASSAY_TRY(const bool more, check.step());
      if (!more) return {};
      if (const std::string line = check.text(0); line != "ok") found("the file: " + line, false);
    }
  }

  Result<void> check_orphans() {
    for (const std::string_view part : kParts) {
      const std::string lost =
          fmt::format("FROM {} WHERE job NOT IN (SELECT number FROM jobs)", part);
      ASSAY_TRY(const std::int64_t count, number("SELECT count(*) " + lost));
      if (count == 0) continue;
      if (mend_) {
        if (auto done = database_.execute("DELETE " + lost); !done) return done;
      }
      found(fmt::format("{} {} of no job", count, part), mend_);
    }
    return {};
  }

  Result<void> check_bodies() {
    ASSAY_TRY(const auto lost,
              jobs("SELECT id FROM jobs WHERE number NOT IN (SELECT job FROM bodies)"));
    return give_up_all(lost, "has lost its request");
  }

  Result<void> check_results() {
    ASSAY_TRY(const auto lost, jobs("SELECT id FROM jobs WHERE state = 'done' AND number NOT IN "
                                    "(SELECT job FROM results)"));
    return give_up_all(lost, "is done and has no result");
  }

  /// What cannot be unpacked is lost.
  Result<void> check_packed() {
    for (const std::string_view part : kParts) {
      if (part == "events") continue;
      std::vector<std::string> broken;
      {
        Statement rows = database_.statement(fmt::format(
            "SELECT jobs.id, {0}.bytes FROM {0} JOIN jobs ON jobs.number = {0}.job", part));
        while (true) {
          ASSAY_TRY(const bool more, rows.step());
          if (!more) break;
          if (!unpack(rows.text(1))) broken.push_back(rows.text(0));
        }
      }
      std::ranges::sort(broken);
      broken.erase(std::ranges::unique(broken).begin(), broken.end());
      if (auto done = give_up_all(broken, fmt::format("has broken {}", part)); !done) return done;
    }
    return {};
  }

  Result<void> check_events() {
    ASSAY_TRY(const auto holes,
              jobs("SELECT id FROM jobs WHERE events <> (SELECT count(*) FROM events WHERE job = "
                   "number) OR events <> (SELECT max(sequence) FROM events WHERE job = number)"));
    for (const std::string& id : holes) found(fmt::format("job {} misses events", id), false);
    ASSAY_TRY(const auto apart,
              jobs("SELECT id FROM jobs WHERE state <> (SELECT state FROM events WHERE job = "
                   "number AND sequence = jobs.events)"));
    for (const std::string& id : apart) {
      found(fmt::format("job {} is in another state than its last event says", id), false);
    }
    return {};
  }

  Result<void> check_vacuum() {
    constexpr std::int64_t kIncremental = 2;
    ASSAY_TRY(const std::int64_t mode, number("PRAGMA auto_vacuum"));
    if (mode == kIncremental) return {};
    if (mend_) {
      if (auto done = database_.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM"); !done) {
        return done;
      }
    }
    found("the file does not give the disk its room back: it was made by an older assay", mend_);
    return {};
  }

  Result<void> count() {
    ASSAY_TRY(const std::int64_t jobs, number("SELECT count(*) FROM jobs"));
    report_.jobs = static_cast<std::size_t>(jobs);
    return {};
  }

  /// A job on its way fails; one that has ended, and can no longer say how, is forgotten.
  Result<void> give_up_all(const std::vector<std::string>& ids, std::string_view why) {
    for (const std::string& id : ids) {
      if (mend_) {
        if (auto done = give_up(JobId{id}, why); !done) return done;
      }
      found(fmt::format("job {} {}", id, why), mend_);
    }
    return {};
  }

  Result<void> give_up(const JobId& id, std::string_view why) {
    ASSAY_TRY(const JobRow row, find_job(database_, id));
    if (is_final(row.job.state)) {
      return database_.statement("DELETE FROM jobs WHERE number = ?").bind(row.number).run();
    }
    const Error error(ErrorCode::data_loss, fmt::format("the job {}", why));
    const Change change{.step = JobStep::fail, .detail = error.message(), .error = &error};
    ASSAY_TRY([[maybe_unused]] const JobEvent event,
              move_job(database_, row, change, clock_.wall_now()));
    const std::string nothing = pack("{}");  // so that it can be shown
    return database_.statement("INSERT OR REPLACE INTO bodies VALUES (?, ?)")
        .bind(row.number)
        .bind_blob(nothing)
        .run();
  }

  Result<std::int64_t> number(const std::string& sql) {
    Statement query = database_.statement(sql);
    ASSAY_TRY([[maybe_unused]] const bool row, query.step());
    return query.integer(0);
  }

  Result<std::vector<std::string>> jobs(std::string_view sql) {
    Statement query = database_.statement(sql);
    std::vector<std::string> ids;
    while (true) {
      ASSAY_TRY(const bool more, query.step());
      if (!more) return ids;
      ids.push_back(query.text(0));
    }
  }

  Database& database_;
  const Clock& clock_;
  bool mend_;
  DataReport report_;
};

}  // namespace

bool DataReport::is_sound() const {
  return std::ranges::all_of(findings, &DataFinding::mended);
}

Result<DataReport> check_data(const DataDir& dir, const Clock& clock, bool mend) {
  ASSAY_TRY(Database database, Database::open(dir.database(), Database::Mode::read_write));
  auto ready = database.execute("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON");
  if (ready) ready = migrate(database, job_store_migrations(), clock);
  if (!ready) {
    return std::unexpected(std::move(ready).error().while_doing("open " + dir.database().string()));
  }
  return Checker(database, clock, mend).run();
}

}  // namespace assay::store
