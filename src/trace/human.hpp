#pragma once

#include <cstdint>
#include <string>

#include "trace/table.hpp"

namespace assay::trace {

/// A value as people read it: scaled to a unit of its own ("1.234 ms", "2.04 TB/s", "13,485").
/// Prefixes are powers of 1000 throughout, as in the vendor's tools. An absent cell is "-".
[[nodiscard]] std::string humanize(const Cell& cell, ColumnType type);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string with_thousands(std::int64_t value);

}  // namespace assay::trace
