#include "trace/analysis/summary.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

#include "trace/table.hpp"

namespace assay::trace {
namespace {

double median_of(std::span<std::int64_t> values) {
  const std::size_t middle = values.size() / 2;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), at, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*at);
  const std::int64_t below = *std::max_element(values.begin(), at);
  return (static_cast<double>(below) + static_cast<double>(*at)) / 2;
}

double deviation_of(std::span<const std::int64_t> values, std::int64_t total) {
  // 64 bits of mantissa: the first decimal place must be right for sums of 10^9 ns.
  const long double average =
      static_cast<long double>(total) / static_cast<long double>(values.size());
  long double squares = 0;
  for (const std::int64_t value : values) {
    const long double off = static_cast<long double>(value) - average;
    squares += off * off;
  }
  return static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size() - 1)));
}

}  // namespace

Summary summarise(std::span<std::int64_t> durations) {
  Summary out;
  if (durations.empty()) return out;
  out.least = durations.front();
  out.greatest = durations.front();
  for (const std::int64_t value : durations) {
    out.total += value;
    out.least = std::min(out.least, value);
    out.greatest = std::max(out.greatest, value);
  }
  out.count = durations.size();
  out.average = static_cast<double>(out.total) / static_cast<double>(out.count);
  out.deviation = out.least == out.greatest ? 0 : deviation_of(durations, out.total);
  out.median = median_of(durations);
  return out;
}

double one_decimal(double value) {
  // Through text, because multiplying by ten first would round twice.
  std::array<char, 512> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1);
  double rounded = value;
  if (error == std::errc{}) std::from_chars(text.data(), end, rounded);
  return rounded;
}

double share_pct(double part, double whole) {
  return whole == 0 ? 0 : one_decimal(100.0 * part / whole);
}

double time_share_pct(std::int64_t part, std::int64_t whole) {
  return share_pct(static_cast<double>(part), static_cast<double>(whole));
}

std::vector<Group> summarise_groups(std::span<std::int64_t> values,
                                    std::span<const std::size_t> end_of, const NameOfKey& name) {
  std::vector<Group> groups;
  for (std::uint32_t key = 0; key + 1 < end_of.size(); ++key) {
    const std::size_t size = end_of[key + 1] - end_of[key];
    if (size == 0) continue;
    groups.push_back({.key = key, .summary = summarise(values.subspan(end_of[key], size))});
  }
  std::ranges::sort(groups, [&](const Group& a, const Group& b) {
    if (a.summary.total != b.summary.total) return a.summary.total > b.summary.total;
    return name(a.key) < name(b.key);
  });
  return groups;
}

std::vector<Column> summary_columns() {
  return {{"time_pct", "Time", ColumnType::percent},
          {"total_ns", "Total time", ColumnType::duration},
          {"count", "Count", ColumnType::integer},
          {"average_ns", "Average", ColumnType::duration},
          {"median_ns", "Median", ColumnType::duration},
          {"min_ns", "Min", ColumnType::duration},
          {"max_ns", "Max", ColumnType::duration},
          {"stddev_ns", "Std dev", ColumnType::duration}};
}

std::vector<Cell> summary_cells(const Summary& summary, std::int64_t whole) {
  return {share_pct(static_cast<double>(summary.total), static_cast<double>(whole)),
          summary.total,
          summary.count,
          one_decimal(summary.average),
          one_decimal(summary.median),
          summary.least,
          summary.greatest,
          one_decimal(summary.deviation)};
}

}  // namespace assay::trace
