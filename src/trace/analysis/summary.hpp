#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A set of durations as `nsys stats` describes it, in nanoseconds. The median of an even number is
/// the mean of the middle two. The deviation is the sample's (n - 1).
struct Summary {
  std::uint64_t count = 0;
  std::int64_t total = 0;
  double average = 0;
  double median = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  double deviation = 0;
};

/// Durations of what bears one name.
struct NamedSummary {
  std::string name;
  Summary summary;
  /// Of several kernels that a short name stands for, the full name of the one with the most time.
  /// Empty where `name` is full.
  std::string full_name = {};

  /// What tells its class: "Kernel2" says nothing of what it does.
  [[nodiscard]] const std::string& telling_name() const {
    return full_name.empty() ? name : full_name;
  }
};

/// Reorders `durations`.
[[nodiscard]] Summary summarise(std::span<std::int64_t> durations);

/// One decimal place, as `nsys stats` rounds averages, deviations and shares.
[[nodiscard]] double one_decimal(double value);

/// `part` of `whole` in percent to one decimal place; 0 if `whole` is 0.
[[nodiscard]] double share_pct(double part, double whole);
/// The same of times.
[[nodiscard]] double time_share_pct(std::int64_t part, std::int64_t whole);

struct Group {
  std::uint32_t key = 0;
  Summary summary;
};

using NameOfKey = std::function<std::string_view(std::uint32_t)>;

/// The values of key k lie from `end_of[k]` to `end_of[k + 1]`. Gives the groups that have values,
/// by falling total and then by `name`. Reorders the values of each.
[[nodiscard]] std::vector<Group> summarise_groups(std::span<std::int64_t> values,
                                                  std::span<const std::size_t> end_of,
                                                  const NameOfKey& name);

/// Groups `value_of(row)` of each row below `rows` by `key_of(row)`. A key is a number below
/// `keys`, or kNone to leave the row out. Gives the groups that have rows, by falling total and
/// then by `name`.
template <class KeyOf, class ValueOf>
[[nodiscard]] std::vector<Group> group_values(std::size_t rows, std::size_t keys,
                                              const KeyOf& key_of, const ValueOf& value_of,
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
  return summarise_groups(values, end_of, name);
}

/// The same of the durations of `spans`.
template <class KeyOf>
[[nodiscard]] std::vector<Group> group_durations(const Spans& spans, std::size_t keys,
                                                 const KeyOf& key_of, const NameOfKey& name) {
  const auto duration = [&](std::size_t row) { return spans.duration(row); };
  return group_values(spans.size(), keys, key_of, duration, name);
}

/// Columns `time_pct`, `total_ns`, `count`, `average_ns`, `median_ns`, `min_ns`, `max_ns`,
/// `stddev_ns`, which every table of durations has in this order.
[[nodiscard]] std::vector<Column> summary_columns();
/// The cells of those columns; `whole` is what shares are of.
[[nodiscard]] std::vector<Cell> summary_cells(const Summary& summary, std::int64_t whole);

}  // namespace assay::trace
