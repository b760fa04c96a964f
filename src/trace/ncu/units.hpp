#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/table.hpp"

namespace assay::trace {

/// A printed unit in terms of its base unit: "Tbyte/s" is "byte/s" times ten to the 12.
struct UnitScale {
  std::string base;
  int exponent = 0;
};

/// The base unit of what the tool prints, for each of its spellings ("usecond", "us", "Ghz",
/// "cycle/nsecond"). Base units are ns, byte, Hz, % and per second. An unknown unit is its own
/// base.
[[nodiscard]] UnitScale to_base_unit(std::string_view printed);

/// What parts the digits of printed numbers: "13,485.20", or in some languages "13.485,20".
enum class Decimal : std::uint8_t { point, comma };

/// Told by the quoted numbers of a page: "3,20" and "1.234,5" have decimal commas. "13,485" may be
/// either, and is a decimal comma only where others are.
[[nodiscard]] Decimal decimal_of_page(std::string_view csv);

/// A printed value in its base unit: "13,485" or "178.752" with an exponent of 3. Scaling is done
/// on the decimal text, so it adds no rounding. Nothing for what is not a number.
[[nodiscard]] std::optional<Cell> parse_printed_number(std::string_view text, int exponent,
                                                       Decimal decimal = Decimal::point);

/// The value of a printed cell: a number, absent for "n/a", "no data" and an empty one, else text.
[[nodiscard]] Cell parse_printed_value(std::string_view text, int exponent,
                                       Decimal decimal = Decimal::point);

/// The base unit that a metric's name implies, since `.ncu-rep` files do not store units. Empty
/// where the name does not tell.
[[nodiscard]] std::string unit_of_metric(std::string_view name);

}  // namespace assay::trace
