#include "trace/analysis/summary.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "trace/events/events.hpp"
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

std::vector<Group> group_values(std::size_t rows, std::size_t keys, const KeyOf& key_of,
                                const std::function<std::int64_t(std::size_t)>& value_of,
                                const NameOfKey& name) {
  // Counting sort: values of a group end up side by side without a vector per group.
  std::vector<std::size_t> end_of(keys + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t key = key_of(row);
    if (key != kNone) ++end_of[key + 1];
  }
  for (std::size_t key = 0; key < keys; ++key) end_of[key + 1] += end_of[key];
  std::vector<std::int64_t> values(end_of[keys]);
  std::vector<std::size_t> next(end_of.begin(), end_of.end() - 1);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t key = key_of(row);
    if (key != kNone) values[next[key]++] = value_of(row);
  }

  std::vector<Group> groups;
  for (std::uint32_t key = 0; key < keys; ++key) {
    const std::size_t size = end_of[key + 1] - end_of[key];
    if (size == 0) continue;
    groups.push_back(
        {.key = key, .summary = summarise(std::span(values).subspan(end_of[key], size))});
  }
  std::ranges::sort(groups, [&](const Group& a, const Group& b) {
    if (a.summary.total != b.summary.total) return a.summary.total > b.summary.total;
    return name(a.key) < name(b.key);
  });
  return groups;
}

std::vector<Group> group_durations(const Spans& spans, std::size_t keys, const KeyOf& key_of,
                                   const NameOfKey& name) {
  return group_values(
      spans.size(), keys, key_of, [&](std::size_t row) { return spans.duration(row); }, name);
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
