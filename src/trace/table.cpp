#include "trace/table.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace assay::trace {

std::string_view to_string(ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return "text";
    case ColumnType::integer:
      return "integer";
    case ColumnType::real:
      return "real";
    case ColumnType::percent:
      return "percent";
    case ColumnType::duration:
      return "duration";
    case ColumnType::bytes:
      return "bytes";
    case ColumnType::bytes_per_second:
      return "bytes_per_second";
    case ColumnType::flop:
      return "flop";
    case ColumnType::flop_per_second:
      return "flop_per_second";
    case ColumnType::hertz:
      return "hertz";
  }
  return "unknown";
}

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::answer:
      return "answer";
    case FindingKind::abstention:
      return "abstention";
    case FindingKind::ok:
      return "ok";
    case FindingKind::info:
      return "info";
    case FindingKind::advice:
      return "advice";
    case FindingKind::warning:
      return "warning";
    case FindingKind::error:
      return "error";
  }
  return "unknown";
}

std::optional<double> Cell::number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*integer);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  return std::nullopt;
}

void Table::add_row(std::vector<Cell> row) {
  assert(row.size() == columns.size());
  rows.push_back(std::move(row));
}

std::optional<std::size_t> Table::column_index(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &Column::name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const Cell* Table::find(std::size_t row, std::string_view column) const {
  const auto index = column_index(column);
  if (!index || row >= rows.size()) return nullptr;
  return &rows[row][*index];
}

const Table* Report::find_table(std::string_view wanted) const {
  const auto found = std::ranges::find(tables, wanted, &Table::name);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace assay::trace
