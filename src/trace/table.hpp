#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/figures.hpp"

namespace assay::trace {

/// What the numbers of a column measure. Values are always stored in the base unit given here;
/// only the renderers for people scale them.
enum class ColumnType : std::uint8_t {
  text,
  integer,           // a count or an id
  real,              // a ratio or a number whose unit is in the column's name
  percent,           // 0..100, name ends in _pct
  duration,          // nanoseconds, _ns
  bytes,             // _bytes
  bytes_per_second,  // _bytes_per_s
  flop,              // floating point operations, _flop
  flop_per_second,   // _flop_per_s
  hertz,             // _hz
};

[[nodiscard]] std::string_view to_string(ColumnType type);

/// One value of a table; a default Cell is absent (null in JSON, empty in CSV). An unsigned
/// integer that fits is held as a signed one, so equal numbers compare equal.
class Cell {
 public:
  using Value = std::variant<std::monostate, std::int64_t, std::uint64_t, double, std::string>;

  Cell() = default;
  // Implicit, so that a row of a table reads as a list of its values.
  // NOLINTBEGIN(google-explicit-constructor)
  Cell(double value) : value_(value) {}
  Cell(std::string value) : value_(std::move(value)) {}
  Cell(std::string_view value) : value_(std::string(value)) {}
  Cell(const char* value) : value_(std::string(value)) {}
  template <std::signed_integral T>
  Cell(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Cell(T value) {
    if (std::in_range<std::int64_t>(value)) {
      value_ = static_cast<std::int64_t>(value);
    } else {
      value_ = static_cast<std::uint64_t>(value);
    }
  }
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }
  // NOLINTEND(google-explicit-constructor)
  Cell(bool) = delete;  // say "yes" or 1: JSON, CSV and people would each read a bool otherwise

  [[nodiscard]] const Value& value() const { return value_; }
  [[nodiscard]] bool absent() const { return std::holds_alternative<std::monostate>(value_); }
  /// The number held, whatever its kind; nothing for text and for an absent cell.
  [[nodiscard]] std::optional<double> number() const;

  friend bool operator==(const Cell&, const Cell&) = default;

 private:
  Value value_;
};

struct Column {
  Column(std::string column_name, std::string column_heading,
         ColumnType column_type = ColumnType::text)
      : name(std::move(column_name)), heading(std::move(column_heading)), type(column_type) {}

  std::string name;     // stable, snake_case, carries the unit: `total_ns`
  std::string heading;  // for people: "Total time"
  ColumnType type;
};

/// Rows under named, typed columns: the form every analysis gives its answer in.
struct Table {
  std::string name;   // stable, snake_case, unique within a Report
  std::string title;  // for people
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // what a reader must know to read the numbers right

  /// The row must have one cell per column.
  void add_row(std::vector<Cell> row);
  [[nodiscard]] std::optional<std::size_t> column_index(std::string_view column) const;
  /// The cell at `row` under the column named `column`; null where there is no such cell.
  [[nodiscard]] const Cell* find(std::size_t row, std::string_view column) const;
};

/// A single named value: "device" = "NVIDIA H100 PCIe", `gpu_busy_ns` = 1733800000.
struct Fact {
  Fact(std::string fact_name, std::string fact_heading, Cell fact_value,
       ColumnType fact_type = ColumnType::text)
      : name(std::move(fact_name)),
        heading(std::move(fact_heading)),
        value(std::move(fact_value)),
        type(fact_type) {}

  std::string name;  // as a Column's
  std::string heading;
  Cell value;
  ColumnType type;
};

enum class FindingKind : std::uint8_t {
  answer,      // of a question that was asked
  abstention,  // the data do not support an answer; the message says why
  ok,          // looked at, nothing wrong
  info,
  advice,  // an optimisation worth trying
  warning,
  error,
};

[[nodiscard]] std::string_view to_string(FindingKind kind);

/// Whether people want it before the tables: what they asked, and what must not be missed.
[[nodiscard]] constexpr bool comes_first(FindingKind kind) {
  return kind == FindingKind::answer || kind == FindingKind::abstention ||
         kind == FindingKind::error;
}

/// A sentence the data support, with the figures it rests on.
struct Finding {
  FindingKind kind = FindingKind::info;
  std::string name;     // stable, snake_case
  std::string title;    // a few words
  std::string message;  // whole sentences
  std::string subject;  // the kernel, range or device it is about; empty: the whole report
  std::vector<Fact> evidence;
};

/// What one invocation has to say. The renderers keep its order, with one exception: for people,
/// findings that do not come first stand after the tables.
struct Report {
  std::string title;
  std::vector<Fact> facts;
  std::vector<Finding> findings;
  std::vector<Table> tables;
  Diagnostics diagnostics;
  Figures figures;  // drawn by the HTML page only

  [[nodiscard]] const Table* find_table(std::string_view name) const;
};

}  // namespace assay::trace
