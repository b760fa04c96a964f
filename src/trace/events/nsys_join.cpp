#include "trace/events/nsys_join.hpp"

#include <cstddef>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <sqlite3.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

namespace fs = std::filesystem;

using Connection = std::unique_ptr<sqlite3, SqliteCloser>;

Result<void> run(sqlite3* database, const std::string& sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(ErrorCode::data_loss, sqlite3_errmsg(database));
}

/// Opens a file to write: that alone makes SQLite take back what a killed process left half done.
Result<Connection> open_settled(const fs::path& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  Connection connection(opened);
  auto done = status == SQLITE_OK ? run(opened, "SELECT count(*) FROM sqlite_schema")
                                  : fail(ErrorCode::unavailable, sqlite3_errmsg(opened));
  if (!done) {
    return std::unexpected(std::move(done).error().while_doing("open " + path.string()));
  }
  return connection;
}

// In each statement {0} stands for the first free id of a text.

// Which number of a GPU in the joined file each number of the added file becomes. A number that is
// taken moves past all numbers of both files, so that no two GPUs come to have one.
constexpr std::string_view kMapGpus = R"(
CREATE TEMP TABLE gpus AS SELECT other.id AS before, coalesce(
    (SELECT mine.id FROM main.TARGET_INFO_GPU mine
      WHERE mine.uuid = other.uuid OR (mine.uuid IS NULL AND mine.id = other.id)),
    CASE WHEN other.id IN (SELECT id FROM main.TARGET_INFO_GPU)
      THEN max((SELECT max(id) FROM main.TARGET_INFO_GPU),
               (SELECT max(id) FROM added.TARGET_INFO_GPU)) + 1 + other.id
      ELSE other.id END) AS after
  FROM added.TARGET_INFO_GPU other;
INSERT INTO main.TARGET_INFO_GPU
  SELECT vmId, after, name, busLocation, isDiscrete, l2CacheSize, totalMemory, memoryBandwidth,
    clockRate, smCount, pwGpuId, uuid, luid, chipName, after, computeMajor, computeMinor, smMajor,
    smMinor
  FROM added.TARGET_INFO_GPU JOIN temp.gpus ON id = before
  WHERE after NOT IN (SELECT id FROM main.TARGET_INFO_GPU);
INSERT INTO main.TARGET_INFO_CUDA_DEVICE
  SELECT after, after, pid FROM added.TARGET_INFO_CUDA_DEVICE JOIN temp.gpus ON gpuId = before;
)";

// A process that became another program has the same number, and counts its calls anew.
constexpr std::string_view kMoveCalls = R"(
CREATE TEMP TABLE calls AS SELECT CASE
    WHEN EXISTS (SELECT 1 FROM main.PROCESSES JOIN added.PROCESSES USING (globalPid))
    THEN (SELECT coalesce(max(correlationId), 0) FROM main.CUPTI_ACTIVITY_KIND_RUNTIME)
    ELSE 0 END AS first;
)";
constexpr std::string_view kCall = "correlationId + (SELECT first FROM temp.calls)";

constexpr std::string_view kAddRows = R"(
INSERT INTO main.StringIds SELECT id + {0}, value FROM added.StringIds;
INSERT INTO main.CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT start, end, eventClass, globalTid, {1}, nameId + {0}, returnValue, callchainId
  FROM added.CUPTI_ACTIVITY_KIND_RUNTIME;
INSERT INTO main.NVTX_EVENTS
  SELECT start, end, eventType, rangeId, category, color, text, globalTid, endGlobalTid,
    textId + {0}, domainId, uint64Value, int64Value, doubleValue, uint32Value, int32Value,
    floatValue, jsonTextId, jsonText, binaryData
  FROM added.NVTX_EVENTS ORDER BY rowid;
INSERT INTO main.DIAGNOSTIC_EVENT SELECT * FROM added.DIAGNOSTIC_EVENT;
INSERT INTO main.PROCESSES SELECT * FROM added.PROCESSES;
UPDATE main.ANALYSIS_DETAILS SET
  stopTime = max(stopTime, (SELECT max(stopTime) FROM added.ANALYSIS_DETAILS)),
  duration = max(duration, (SELECT max(duration) FROM added.ANALYSIS_DETAILS));
)";

/// The columns of a table of work, with the GPU's number mapped and names moved on.
Result<std::string> work_columns(sqlite3* database, std::string_view table,
                                 std::string_view first_id) {
  sqlite3_stmt* prepared = nullptr;
  const std::string sql = fmt::format("SELECT name FROM pragma_table_info('{}')", table);
  sqlite3_prepare_v2(database, sql.c_str(), -1, &prepared, nullptr);
  const std::unique_ptr<sqlite3_stmt, SqliteFinalizer> rows(prepared);
  std::string out;
  while (prepared != nullptr && sqlite3_step(prepared) == SQLITE_ROW) {
    const std::string name = reinterpret_cast<const char*>(sqlite3_column_text(prepared, 0));
    if (!out.empty()) out += ", ";
    if (name == "deviceId" || name == "srcDeviceId" || name == "dstDeviceId") {
      out += fmt::format("coalesce((SELECT after FROM temp.gpus WHERE before = {0}), {0})", name);
    } else if (name == "correlationId") {
      out += kCall;
    } else if (name.ends_with("Name")) {
      out += fmt::format("{} + {}", name, first_id);
    } else {
      out += name;
    }
  }
  if (out.empty()) return fail(ErrorCode::data_loss, fmt::format("there is no table {}", table));
  return out;
}

Result<void> add_file(sqlite3* database, const fs::path& path) {
  // Settled first: a statement over two files does not do it.
  if (auto settled = open_settled(path); !settled) {
    return std::unexpected(std::move(settled).error());
  }
  std::string quoted = "'";
  for (const char c : path.string()) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  quoted += '\'';
  constexpr std::string_view kFirstId = "(SELECT first FROM temp.ids)";
  std::string sql =
      "ATTACH " + quoted +
      " AS added; BEGIN;"
      "CREATE TEMP TABLE ids AS SELECT coalesce(max(id), -1) + 1 AS first FROM main.StringIds;";
  sql += kMapGpus;
  sql += kMoveCalls;
  for (const std::string_view table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) {
    ASSAY_TRY(const std::string columns, work_columns(database, table, kFirstId));
    sql += fmt::format("INSERT INTO main.{0} SELECT {1} FROM added.{0};", table, columns);
  }
  sql += fmt::format(fmt::runtime(kAddRows), kFirstId, kCall);
  sql += "DROP TABLE temp.ids; DROP TABLE temp.gpus; DROP TABLE temp.calls; COMMIT; DETACH added;";
  auto done = run(database, sql);
  if (!done) static_cast<void>(run(database, "ROLLBACK; DETACH added;"));
  return done;
}

/// Whether a process got as far as making its tables: one that is killed at once leaves an empty
/// file.
Result<void> check_tables(const fs::path& path) {
  ASSAY_TRY(const Connection file, open_settled(path));
  return run(file.get(), "SELECT 1 FROM CUPTI_ACTIVITY_KIND_KERNEL, ANALYSIS_DETAILS LIMIT 1");
}

}  // namespace

Result<std::vector<std::string>> join_timelines(const std::vector<fs::path>& files,
                                                const fs::path& output) {
  if (files.empty()) return fail(ErrorCode::invalid_argument, "there is no timeline to join");
  std::vector<std::string> left_out;
  std::vector<fs::path> usable;
  for (const fs::path& file : files) {
    if (auto done = check_tables(file); done) {
      usable.push_back(file);
    } else {
      left_out.push_back(fmt::format("{} cannot be read and is left out: {}",
                                     file.filename().string(), done.error().message()));
    }
  }
  if (usable.empty()) return fail(ErrorCode::data_loss, left_out.front());
  std::error_code error;
  if (usable.size() == 1) {
    fs::rename(usable.front(), output, error);
  } else {
    fs::copy_file(usable.front(), output, fs::copy_options::overwrite_existing, error);
  }
  if (error) {
    return fail(ErrorCode::unavailable,
                fmt::format("make {}: {}", output.string(), error.message()));
  }
  if (usable.size() == 1) return left_out;
  ASSAY_TRY(const Connection joined, open_settled(output));
  if (auto done = run(joined.get(), "PRAGMA synchronous=OFF"); !done) {
    return std::unexpected(std::move(done).error());
  }
  for (std::size_t i = 1; i < usable.size(); ++i) {
    if (auto done = add_file(joined.get(), usable[i]); !done) {
      left_out.push_back(fmt::format("{} cannot be joined and is left out: {}",
                                     usable[i].filename().string(), done.error().message()));
    }
  }
  return left_out;
}

}  // namespace assay::trace
