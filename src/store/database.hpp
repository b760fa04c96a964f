#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace assay::store {

/// One use of a prepared statement. Parameters are bound in order. `step` reports the first thing
/// that went wrong, from preparing on.
class [[nodiscard]] Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;
  ~Statement();  // resets it for the next use

  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);  // must live until the last step
  Statement& bind_blob(std::string_view bytes);
  Statement& bind_null();
  Statement& bind_real(std::optional<double> value);
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind_null();
  }

  /// True when there is a row to read.
  [[nodiscard]] Result<bool> step();
  /// Runs to the end; for statements that give no rows.
  [[nodiscard]] Result<void> run();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;  // blobs too
  [[nodiscard]] std::optional<std::int64_t> optional_integer(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<double> optional_real(int column) const;

 private:
  friend class Database;
  Statement(sqlite3* connection, sqlite3_stmt* statement, int status)
      : connection_(connection), statement_(statement), status_(status) {}
  void note(int status);

  sqlite3* connection_;
  sqlite3_stmt* statement_;  // null when preparing failed, and once moved from
  int status_;               // the first failure
  int bound_ = 0;
};

/// One connection to a SQLite file, with its prepared statements. For one thread at a time.
class Database {
 public:
  enum class Mode : std::uint8_t { read_write, read_only };

  [[nodiscard]] static Result<Database> open(const std::filesystem::path& path, Mode mode);
  Database(Database&& other) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Runs SQL that is not worth keeping prepared, several statements at once if need be.
  [[nodiscard]] Result<void> execute(const std::string& sql);
  /// Prepared at the first use and kept: `sql` should come from a small set of texts.
  Statement statement(std::string_view sql);
  /// Rows changed by the newest statement.
  [[nodiscard]] std::int64_t changes() const;
  [[nodiscard]] std::int64_t last_row() const;

 private:
  explicit Database(sqlite3* connection) : connection_(connection) {}

  sqlite3* connection_;  // null once moved from
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// Undone when destroyed before `commit`.
class [[nodiscard]] Transaction {
 public:
  /// Takes the write lock at once: a transaction that read first could fail half way.
  [[nodiscard]] static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  [[nodiscard]] Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;  // null once committed or moved from
};

}  // namespace assay::store
