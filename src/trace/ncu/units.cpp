#include "trace/ncu/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "trace/table.hpp"

namespace assay::trace {
namespace {

struct KnownUnit {
  std::string_view printed;
  std::string_view base;
  int exponent;
};

// Prefixes are powers of 1000, for bytes too: 1.024 Kbyte/block is 1024 bytes.
constexpr std::array kUnits = std::to_array<KnownUnit>({
    {"byte", "byte", 0},
    {"Kbyte", "byte", 3},
    {"Mbyte", "byte", 6},
    {"Gbyte", "byte", 9},
    {"Tbyte", "byte", 12},
    {"Pbyte", "byte", 15},
    {"hz", "Hz", 0},
    {"Khz", "Hz", 3},
    {"Mhz", "Hz", 6},
    {"Ghz", "Hz", 9},
    {"ns", "ns", 0},
    {"us", "ns", 3},
    {"ms", "ns", 6},
    {"s", "ns", 9},
    {"nsecond", "ns", 0},
    {"usecond", "ns", 3},
    {"msecond", "ns", 6},
    {"second", "ns", 9},
});

const KnownUnit* find_unit(std::string_view printed) {
  const auto found = std::ranges::find(kUnits, printed, &KnownUnit::printed);
  return found == kUnits.end() ? nullptr : &*found;
}

bool is_digit(char c) {
  return '0' <= c && c <= '9';
}

/// The text with a decimal point and without what parts thousands. Nothing where a character cannot
/// be part of a number.
std::optional<std::string> plain_digits(std::string_view text, Decimal decimal) {
  const char thousands = decimal == Decimal::point ? ',' : '.';
  std::string plain;
  for (char c : text) {
    if (c == thousands) continue;
    if (c == ',') c = '.';
    if (!is_digit(c) && std::string_view("+-.eE").find(c) == std::string_view::npos) {
      return std::nullopt;
    }
    plain += c;
  }
  if (plain.empty() || !(is_digit(plain.front()) || plain.front() == '-')) return std::nullopt;
  return plain;
}

bool is_digits_and_marks(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front()) && is_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == ',' || c == '.'; });
}

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The noun a counter counts: the first of these words in its name.
std::string_view counted_noun(std::string_view base) {
  struct Noun {
    std::string_view word;
    std::string_view unit;
  };
  static constexpr std::array kNouns = std::to_array<Noun>({{"bytes", "byte"},
                                                            {"cycles", "cycle"},
                                                            {"sectors", "sector"},
                                                            {"requests", "request"},
                                                            {"inst", "inst"},
                                                            {"warps", "warp"},
                                                            {"duration", "ns"}});
  while (!base.empty()) {
    const std::string_view word = base.substr(0, base.find('_'));
    const auto noun = std::ranges::find(kNouns, word, &Noun::word);
    if (noun != kNouns.end()) return noun->unit;
    base.remove_prefix(std::min(base.size(), word.size() + 1));
  }
  return {};
}

/// Names whose unit does not follow from a noun in them.
std::string_view exceptional_unit(std::string_view base) {
  static constexpr std::array kExceptions = std::to_array<KnownUnit>({
      {"launch__registers_per_thread", "register/thread", 0},
      {"launch__registers_per_thread_allocated", "register/thread", 0},
      {"launch__thread_count", "thread", 0},
      {"launch__shared_mem_config_size", "byte", 0},
      {"launch__persisting_l2_cache_size", "byte", 0},
      {"profiler__pmsampler_interval_time", "ns", 0},
      {"derived__pct_occupancy_per_block_size", "%", 0},
  });
  const auto found = std::ranges::find(kExceptions, base, &KnownUnit::printed);
  if (found != kExceptions.end()) return found->base;
  if (base.starts_with("launch__shared_mem_per_block")) return "byte/block";
  if (base.starts_with("launch__occupancy_limit_")) return "block";
  if (base.find("_data_bytes_per_sector_") != std::string_view::npos) return "byte/sector";
  return {};
}

std::string with_rollup(std::string_view noun, std::string_view suffix) {
  if (noun.empty() || suffix.find("ratio") != std::string_view::npos) return "";
  if (suffix.find("per_second") != std::string_view::npos) {
    return noun == "cycle" ? "Hz" : std::string(noun) + "/s";
  }
  if (suffix.find("per_cycle") != std::string_view::npos ||
      suffix.find("peak_sustained") != std::string_view::npos) {
    if (noun == "warp") return "warp";
    return noun == "cycle" ? "" : std::string(noun) + "/cycle";
  }
  return std::string(noun);
}

}  // namespace

UnitScale to_base_unit(std::string_view printed) {
  const std::size_t slash = printed.find('/');
  const std::string_view above = printed.substr(0, slash);
  const KnownUnit* numerator = find_unit(above);
  if (slash == std::string_view::npos) {
    return numerator == nullptr
               ? UnitScale{.base = std::string(printed)}
               : UnitScale{.base = std::string(numerator->base), .exponent = numerator->exponent};
  }
  const std::string_view below = printed.substr(slash + 1);
  const KnownUnit* denominator = find_unit(below);
  UnitScale scale{.base = std::string(numerator == nullptr ? above : numerator->base),
                  .exponent = numerator == nullptr ? 0 : numerator->exponent};
  if (denominator == nullptr) {
    scale.base += "/" + std::string(below);
  } else if (denominator->base == "ns") {
    scale.exponent += 9 - denominator->exponent;
    scale.base = scale.base == "cycle" ? "Hz" : scale.base + "/s";
  } else {
    // The tool prints 8190 %/byte as "8.190000 %/Kbyte": it scales the value by the prefix
    // wherever in the unit the prefix stands, so undoing it multiplies here too.
    scale.exponent += denominator->exponent;
    scale.base += "/" + std::string(denominator->base);
  }
  return scale;
}

Decimal decimal_of_page(std::string_view csv) {
  bool commas = false;
  for (std::size_t open = csv.find('"'); open != std::string_view::npos;) {
    const std::size_t close = csv.find('"', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view cell = csv.substr(open + 1, close - open - 1);
    open = close;  // this quote may as well open the next cell
    if (!is_digits_and_marks(cell)) continue;
    const std::size_t mark = cell.find_last_of(",.");
    if (mark == std::string_view::npos) continue;
    // Thousands come in threes. "9.0" is a compute capability in every language.
    const std::size_t behind = cell.size() - mark - 1;
    const bool both = cell.find(cell[mark] == ',' ? '.' : ',') != std::string_view::npos;
    const bool decimal = both || (behind != 3 && (cell[mark] == ',' || behind != 1));
    if (decimal && cell[mark] == '.') return Decimal::point;
    commas |= decimal;
  }
  return commas ? Decimal::comma : Decimal::point;
}

std::optional<Cell> parse_printed_number(std::string_view text, int exponent, Decimal decimal) {
  if (text == "nan" || text == "-nan" || text == "inf" || text == "-inf") return Cell();
  const auto plain = plain_digits(text, decimal);
  if (!plain) return std::nullopt;
  const bool whole = plain->find_first_of(".eE") == std::string::npos;
  if (whole && exponent == 0) {
    if (const auto value = parse_whole<std::int64_t>(*plain)) return Cell(*value);
    if (const auto value = parse_whole<std::uint64_t>(*plain)) return Cell(*value);
  }
  // A printed exponent is folded into ours, so that the decimal text is converted once.
  const std::size_t e = plain->find_first_of("eE");
  const std::optional<int> printed =
      e == std::string::npos ? 0 : parse_whole<int>(std::string_view(*plain).substr(e + 1));
  if (!printed) return std::nullopt;
  const auto value =
      parse_whole<double>(plain->substr(0, e) + "e" + std::to_string(*printed + exponent));
  if (!value) return std::nullopt;
  return Cell(*value);
}

Cell parse_printed_value(std::string_view text, int exponent, Decimal decimal) {
  if (text.empty() || text == "n/a" || text == "no data") return {};
  if (auto number = parse_printed_number(text, exponent, decimal)) return *number;
  return text;
}

std::string unit_of_metric(std::string_view name) {
  for (const std::string_view prefix : {"pmsampling:", "TriageCompute."}) {
    const std::size_t at = name.find(prefix);
    if (at != std::string_view::npos) name.remove_prefix(at + prefix.size());
  }
  if (name.starts_with("breakdown:") || name.starts_with("device__")) return "";
  const std::size_t dot = name.find('.');
  const std::string_view base = name.substr(0, dot);
  const std::string_view suffix =
      dot == std::string_view::npos ? std::string_view() : name.substr(dot);
  if (suffix.find(".pct") != std::string_view::npos || base.ends_with("_pct")) return "%";
  if (const auto exceptional = exceptional_unit(base); !exceptional.empty()) {
    return std::string(exceptional);
  }
  return with_rollup(counted_noun(base), suffix);
}

}  // namespace assay::trace
