#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <sqlite3.h>

namespace assay::tracer {

/// One prepared statement, filled from left to right and then run.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* database, std::string_view sql);

  Statement& add(std::int64_t value);
  Statement& add(std::optional<std::int64_t> value);
  Statement& add(double value);
  Statement& add(std::string_view value);  // copied
  Statement& add_null();
  /// False where SQLite refuses the row; the reason is the database's.
  bool run();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_ = 1;
};

}  // namespace assay::tracer
