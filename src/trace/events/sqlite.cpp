#include "trace/events/sqlite.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <sqlite3.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::trace {
namespace {

// A row of any table read here takes at least this: a header and two eight-byte times.
constexpr std::size_t kSmallestRow = 16;

Error sqlite_error(sqlite3* database, std::string_view what) {
  const int code = sqlite3_errcode(database);
  const bool corrupt = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_FORMAT;
  return {corrupt ? ErrorCode::data_loss : ErrorCode::internal,
          fmt::format("{}: {}", what, sqlite3_errmsg(database))};
}

std::string quoted(std::string_view identifier) {
  std::string out = "\"";
  for (const char c : identifier) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// A program that was killed while it wrote leaves a journal, from which SQLite mends the file.
bool has_journal(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path.string() + "-journal", error);
  return !error && size > 0;
}

std::string as_uri(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  // Immutable: no lock file is looked for, so a read-only folder will do.
  return uri + (has_journal(path) ? "?mode=rw" : "?mode=ro&immutable=1");
}

}  // namespace

void SqliteCloser::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}
void SqliteFinalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Result<bool> SqliteRows::next() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return std::unexpected(sqlite_error(sqlite3_db_handle(statement_.get()), "read the database"));
}

std::int64_t SqliteRows::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

bool SqliteRows::is_integer(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

bool SqliteRows::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::string_view SqliteRows::bytes(int column) const {
  // As a blob: as text, SQLite would first convert it from the encoding it claims to have.
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Result<SqliteDatabase> SqliteDatabase::prepare(sqlite3* opened, int status, std::string_view name,
                                               std::size_t size) {
  SqliteDatabase database(opened, size);
  if (status != SQLITE_OK) {
    return std::unexpected(sqlite_error(opened, fmt::format("open {}", name)));
  }
  // The schema of a profile is as untrusted as its rows.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  return database;
}

Result<SqliteDatabase> SqliteDatabase::open(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    const bool absent = error == std::errc::no_such_file_or_directory;
    return fail(absent ? ErrorCode::not_found : ErrorCode::invalid_argument,
                fmt::format("open {}: {}", path.string(), error.message()));
  }
  sqlite3* opened = nullptr;
  const int status =
      sqlite3_open_v2(as_uri(path).c_str(), &opened,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  ASSAY_TRY(SqliteDatabase database, prepare(opened, status, path.string(), size));
  // SQLite opens anything; only reading the schema shows that it is no database.
  auto tables = database.tables();
  if (!tables) return std::unexpected(std::move(tables).error().while_doing(path.string()));
  return database;
}

Result<SqliteDatabase> SqliteDatabase::from_bytes(std::span<const std::byte> image) {
  sqlite3* opened = nullptr;
  const int status =
      sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  ASSAY_TRY(SqliteDatabase database, prepare(opened, status, "a database in memory", image.size()));
  // SQLite's interface lacks const; with READONLY it does not write.
  auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(image.data()));
  const auto size = static_cast<sqlite3_int64>(image.size());
  if (sqlite3_deserialize(opened, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK) {
    return std::unexpected(sqlite_error(opened, "read a database image"));
  }
  return database;
}

Result<SqliteRows> SqliteDatabase::query(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr);
  if (status != SQLITE_OK) return std::unexpected(sqlite_error(database_.get(), "read a table"));
  return SqliteRows(statement);
}

Result<std::vector<std::string>> SqliteDatabase::tables() {
  ASSAY_TRY(SqliteRows rows,
            query("select name from sqlite_schema where type = 'table' and rootpage > 0"));
  std::vector<std::string> names;
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) return names;
    names.emplace_back(rows.bytes(0));
  }
}

Result<std::vector<std::string>> SqliteDatabase::columns(std::string_view table) {
  ASSAY_TRY(SqliteRows rows, query(fmt::format("pragma table_info({})", quoted(table))));
  std::vector<std::string> names;
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) return names;
    names.emplace_back(rows.bytes(1));
  }
}

Result<SqliteRows> SqliteDatabase::select(std::string_view table,
                                          std::span<const std::string_view> columns,
                                          std::span<const std::string> existing,
                                          std::optional<RowIds> rows) {
  std::string sql = "select ";
  for (const std::string_view column : columns) {
    if (sql.size() > 7) sql += ',';
    const bool present = std::ranges::find(existing, column) != existing.end();
    sql += present ? quoted(column) : "null";
  }
  sql += " from " + quoted(table);
  if (rows) sql += fmt::format(" where rowid between {} and {}", rows->first, rows->last);
  return query(sql);
}

std::size_t SqliteDatabase::row_bound(std::string_view table) {
  auto rows = query("select max(rowid) from " + quoted(table));
  if (!rows) return 0;
  const auto more = rows->next();
  if (!more || !*more) return 0;
  const auto largest = static_cast<std::size_t>(std::max<std::int64_t>(rows->integer(0), 0));
  return std::min(largest, size_ / kSmallestRow);
}

}  // namespace assay::trace
