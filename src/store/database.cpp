#include "store/database.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay::store {
namespace {

/// Only our own connections touch the file, so a wait this long means a stuck disk.
constexpr std::chrono::milliseconds kBusyTimeout{10'000};

ErrorCode code_of(int status) {
  // The index of the log lies in a file of its own, and says so in its own way.
  if (status == SQLITE_IOERR_SHMSIZE) return ErrorCode::resource_exhausted;
  switch (status & 0xFF) {  // the low byte is the primary code
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::unavailable;
    case SQLITE_FULL:
      return ErrorCode::resource_exhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::data_loss;
    case SQLITE_CONSTRAINT:
      return ErrorCode::conflict;
    default:
      return ErrorCode::internal;
  }
}

std::unexpected<Error> failure(sqlite3* connection, int status, std::string_view what) {
  const char* detail = connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(status);
  return fail(code_of(status), std::string(what) + ": " + detail);
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      status_(other.status_),
      bound_(other.bound_) {}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::note(int status) {
  if (status_ == SQLITE_OK) status_ = status;
}

Statement& Statement::bind(std::int64_t value) {
  if (statement_ != nullptr) note(sqlite3_bind_int64(statement_, ++bound_, value));
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  if (statement_ != nullptr) {
    note(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC,
                             SQLITE_UTF8));
  }
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  // A null pointer would bind NULL, and an empty view may have one.
  const char* data = bytes.empty() ? "" : bytes.data();
  if (statement_ != nullptr) {
    note(sqlite3_bind_blob64(statement_, ++bound_, data, bytes.size(), SQLITE_STATIC));
  }
  return *this;
}

Statement& Statement::bind_null() {
  if (statement_ != nullptr) note(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

Statement& Statement::bind_real(std::optional<double> value) {
  if (!value) return bind_null();
  if (statement_ != nullptr) note(sqlite3_bind_double(statement_, ++bound_, *value));
  return *this;
}

Result<bool> Statement::step() {
  if (status_ != SQLITE_OK) return failure(connection_, status_, "prepare a statement");
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return failure(connection_, status, "run a statement");
}

Result<void> Statement::run() {
  while (true) {
    ASSAY_TRY(const bool row, step());
    if (!row) return {};
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<double> Statement::optional_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return sqlite3_column_double(statement_, column);
}

std::optional<std::string> Statement::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return text(column);
}

Result<Database> Database::open(const std::filesystem::path& path, Mode mode) {
  // NOMUTEX: a connection is used by one thread at a time, so SQLite need not lock it again.
  const int access =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* connection = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &connection, access | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(connection);  // to be closed even when opening failed
  if (status != SQLITE_OK) return failure(connection, status, "open " + path.string());
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, static_cast<int>(kBusyTimeout.count()));
  return database;
}

Database::Database(Database&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)),
      statements_(std::exchange(other.statements_, {})) {}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(connection_);
}

Result<void> Database::execute(const std::string& sql) {
  const int status = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return failure(connection_, status, "run SQL");
  return {};
}

Statement Database::statement(std::string_view sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) {
    return {connection_, found->second, SQLITE_OK};
  }
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (status == SQLITE_OK) statements_.emplace(sql, statement);
  return {connection_, statement, status};
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(connection_);
}

std::int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(connection_);
}

Result<Transaction> Transaction::begin(Database& database) {
  if (auto begun = database.statement("BEGIN IMMEDIATE").run(); !begun) {
    return std::unexpected(std::move(begun).error());
  }
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  // Where SQLite has rolled back by itself (a full disk), this fails and nothing is left to do.
  [[maybe_unused]] const auto undone = database_->statement("ROLLBACK").run();
}

Result<void> Transaction::commit() {
  auto committed = database_->statement("COMMIT").run();
  if (committed) database_ = nullptr;
  return committed;
}

}  // namespace assay::store
