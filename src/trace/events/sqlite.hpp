#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace assay::trace {

struct SqliteCloser {
  void operator()(sqlite3* database) const;
};
struct SqliteFinalizer {
  void operator()(sqlite3_stmt* statement) const;
};

/// One SELECT over a file that may be hostile: `next` fails with `data_loss` on a corrupt page.
class SqliteRows {
 public:
  /// True while there is a row to read.
  [[nodiscard]] Result<bool> next();

  /// NULL and text read as 0, as SQLite converts them.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] bool is_integer(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  /// The bytes of text or of a blob, of any encoding; valid until the next row.
  [[nodiscard]] std::string_view bytes(int column) const;

 private:
  friend class SqliteDatabase;
  explicit SqliteRows(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, SqliteFinalizer> statement_;
};

/// Rows of a table by their number, both ends included.
struct RowIds {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

/// A database opened for reading alone. One thread at a time may use it.
class SqliteDatabase {
 public:
  /// Fails with `not_found` where there is no file and `data_loss` where it is not a database.
  [[nodiscard]] static Result<SqliteDatabase> open(const std::filesystem::path& path);
  /// Reads a database image in memory, which must outlive this.
  [[nodiscard]] static Result<SqliteDatabase> from_bytes(std::span<const std::byte> image);

  /// Ordinary tables: a view or a virtual table in a profile is nobody's export.
  [[nodiscard]] Result<std::vector<std::string>> tables();
  [[nodiscard]] Result<std::vector<std::string>> columns(std::string_view table);

  /// `select <columns> from <table>`, where a column that `existing` lacks reads as NULL:
  /// exports differ by version and users add columns.
  [[nodiscard]] Result<SqliteRows> select(std::string_view table,
                                          std::span<const std::string_view> columns,
                                          std::span<const std::string> existing,
                                          std::optional<RowIds> rows = std::nullopt);
  /// Never less than the number of rows of an export, never more than the file could hold.
  [[nodiscard]] std::size_t row_bound(std::string_view table);

 private:
  SqliteDatabase(sqlite3* database, std::size_t size) : database_(database), size_(size) {}
  [[nodiscard]] static Result<SqliteDatabase> prepare(sqlite3* opened, int status,
                                                      std::string_view name, std::size_t size);
  [[nodiscard]] Result<SqliteRows> query(const std::string& sql);

  std::unique_ptr<sqlite3, SqliteCloser> database_;
  std::size_t size_;  // of the file
};

}  // namespace assay::trace
