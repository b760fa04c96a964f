#include "trace/human.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>

#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::string group_digits(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

/// Four significant digits without an exponent, for 0 or 1 <= |value| < 1000.
std::string four_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3);
}

std::string human_real(double value) {
  const double size = std::abs(value);
  if (value == 0) return "0";
  if (size >= 1e9 || size < 1e-3) return fmt::format("{:.3e}", value);
  if (size >= 1000) return group_digits(fmt::format("{:.0f}", value));
  return size >= 1 ? four_digits(value) : fmt::format("{:.4f}", value);
}

/// `units` go up by 1000 each, from the base unit. `whole` hides fractions of the base unit.
std::string scaled(double value, std::span<const std::string_view> units, bool whole) {
  std::size_t unit = 0;
  double shown = value;
  // 999.95 would print as 1000.0 with four digits.
  while (std::abs(shown) >= 999.95 && unit + 1 < units.size()) {
    shown /= 1000;
    ++unit;
  }
  if (unit == 0 && (whole || shown == std::floor(shown))) {
    return fmt::format("{:.0f} {}", shown, units[0]);
  }
  return fmt::format("{} {}", std::abs(shown) < 1000 ? four_digits(shown) : human_real(shown),
                     units[unit]);
}

constexpr std::array<std::string_view, 4> kTime = {"ns", "us", "ms", "s"};
constexpr std::array<std::string_view, 6> kBytes = {"B", "kB", "MB", "GB", "TB", "PB"};
constexpr std::array<std::string_view, 6> kByteRate = {"B/s",  "kB/s", "MB/s",
                                                       "GB/s", "TB/s", "PB/s"};
constexpr std::array<std::string_view, 7> kFlop = {"FLOP",  "kFLOP", "MFLOP", "GFLOP",
                                                   "TFLOP", "PFLOP", "EFLOP"};
constexpr std::array<std::string_view, 7> kFlopRate = {"FLOP/s",  "kFLOP/s", "MFLOP/s", "GFLOP/s",
                                                       "TFLOP/s", "PFLOP/s", "EFLOP/s"};
constexpr std::array<std::string_view, 4> kHertz = {"Hz", "kHz", "MHz", "GHz"};

std::string human_number(double value, ColumnType type) {
  if (!std::isfinite(value)) return "-";
  switch (type) {
    case ColumnType::integer:
      // A count that a tool stores as a real number.
      if (value == std::floor(value) && std::abs(value) < 1e15) {
        return with_thousands(static_cast<std::int64_t>(value));
      }
      return human_real(value);
    case ColumnType::percent:
      return fmt::format("{:.1f}%", value);
    case ColumnType::duration:
      return scaled(value, kTime, false);
    case ColumnType::bytes:
      return scaled(value, kBytes, false);
    case ColumnType::bytes_per_second:
      return scaled(value, kByteRate, true);
    case ColumnType::flop:
      return scaled(value, kFlop, true);
    case ColumnType::flop_per_second:
      return scaled(value, kFlopRate, true);
    case ColumnType::hertz:
      return scaled(value, kHertz, true);
    case ColumnType::text:
    case ColumnType::real:
      return human_real(value);
  }
  return human_real(value);
}

}  // namespace

std::string with_thousands(std::int64_t value) {
  return group_digits(std::to_string(value));
}

std::string humanize(const Cell& cell, ColumnType type) {
  if (cell.absent()) return "-";
  if (const auto* text = std::get_if<std::string>(&cell.value())) return *text;
  const bool plain =
      type == ColumnType::integer || type == ColumnType::real || type == ColumnType::text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell.value()); integer && plain) {
    return with_thousands(*integer);
  }
  if (const auto* large = std::get_if<std::uint64_t>(&cell.value()); large && plain) {
    return group_digits(std::to_string(*large));
  }
  return human_number(cell.number().value_or(0), type);
}

}  // namespace assay::trace
