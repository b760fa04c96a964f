#include "tracer/statement.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include <sqlite3.h>

namespace assay::tracer {

Statement::Statement(sqlite3* database, std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                     &prepared, nullptr);
  statement_.reset(prepared);
}

Statement& Statement::add(std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), next_++, value);
  return *this;
}

Statement& Statement::add(std::optional<std::int64_t> value) {
  return value ? add(*value) : add_null();
}

Statement& Statement::add(double value) {
  sqlite3_bind_double(statement_.get(), next_++, value);
  return *this;
}

Statement& Statement::add(std::string_view value) {
  sqlite3_bind_text(statement_.get(), next_++, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::add_null() {
  sqlite3_bind_null(statement_.get(), next_++);
  return *this;
}

bool Statement::run() {
  next_ = 1;
  if (statement_ == nullptr) return false;
  const int status = sqlite3_step(statement_.get());
  sqlite3_reset(statement_.get());
  return status == SQLITE_DONE || status == SQLITE_ROW;
}

}  // namespace assay::tracer
