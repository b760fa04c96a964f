#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/analysis/attribution.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Calls `use(name)` for each name among `ranges`, once even where ranges of a name nest.
class NamesOf {
 public:
  explicit NamesOf(const Trace& trace) : ranges_(trace.ranges), seen_(trace.strings.size(), 0) {}

  template <class Use>
  void each(std::span<const std::uint32_t> ranges, Use use) {
    ++turn_;
    for (const std::uint32_t row : ranges) {
      std::uint64_t& seen = seen_[ranges_.name[row]];
      if (std::exchange(seen, turn_) != turn_) use(ranges_.name[row]);
    }
  }

 private:
  const Ranges& ranges_;
  std::vector<std::uint64_t> seen_;  // per name, the turn it was last used in
  std::uint64_t turn_ = 0;
};

struct Tally {
  std::uint64_t count = 0;
  std::int64_t total = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  void add(std::int64_t duration) {
    least = count == 0 ? duration : std::min(least, duration);
    greatest = std::max(greatest, duration);
    total += duration;
    ++count;
  }
};

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // names of a range and of a kernel
struct PairHash {
  std::size_t operator()(const Pair& pair) const { return hash_of(pair.first, pair.second); }
};

/// Tallies kernels by range name and kernel name under one of the rules.
struct PairTallies {
  Interner<Pair, PairHash> pairs;
  std::vector<Tally> tallies;

  void add(Pair pair, std::int64_t duration) {
    const std::uint32_t id = pairs(pair);
    if (id == tallies.size()) tallies.emplace_back();
    tallies[id].add(duration);
  }
};

void add_pair_rows(const Trace& trace, const PairTallies& tallies, std::string_view rule,
                   Table& table) {
  for (std::size_t i = 0; i < tallies.tallies.size(); ++i) {
    const Tally& tally = tallies.tallies[i];
    const auto [range, kernel] = tallies.pairs.keys()[i];
    table.add_row({tally.total, tally.count,
                   one_decimal(static_cast<double>(tally.total) / static_cast<double>(tally.count)),
                   tally.least, tally.greatest, rule, trace.strings.view(range),
                   trace.strings.view(kernel)});
  }
}

double number(const Cell& cell) {
  return cell.number().value_or(0);
}

}  // namespace

Table coverage_table(const Coverage& coverage) {
  Table table{.name = "range_coverage",
              .title = "Kernels placed in ranges, by rule",
              .columns = {{"kernels", "Kernels", ColumnType::integer},
                          {"kernels_pct", "Of kernels", ColumnType::percent},
                          {"total_ns", "Time", ColumnType::duration},
                          {"time_pct", "Of time", ColumnType::percent},
                          {"rule", "Rule", ColumnType::text},
                          {"meaning", "Meaning", ColumnType::text}}};
  const auto add = [&](const Coverage::Part& part, std::string_view rule,
                       std::string_view meaning) {
    table.add_row(
        {part.count,
         share_pct(static_cast<double>(part.count), static_cast<double>(coverage.all.count)),
         part.total,
         share_pct(static_cast<double>(part.total), static_cast<double>(coverage.all.total)), rule,
         meaning});
  };
  add(coverage.same_thread, "same_thread", "launched inside a range of the launching thread");
  add(coverage.other_thread, "other_thread",
      "launched by another thread while a range of the author's was open in the process");
  add(coverage.ambiguous, "ambiguous", "of other_thread: ranges of several threads were open");
  add(coverage.outside, "outside", "in no range by either rule");
  add(coverage.without_call, "without_call", "of outside: the launching API call is not recorded");
  return table;
}

Table range_kernel_table(const Trace& trace, const Attribution& attribution) {
  PairTallies same;
  PairTallies other;
  NamesOf names(trace);
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::uint32_t call = trace.kernels.call[row];
    const std::int64_t duration = trace.kernels.duration(row);
    const std::uint32_t kernel = trace.functions[trace.kernels.function[row]].name;
    names.each(attribution.same_thread.of_call(call),
               [&](std::uint32_t name) { same.add({name, kernel}, duration); });
    names.each(attribution.other_thread.of_call(call),
               [&](std::uint32_t name) { other.add({name, kernel}, duration); });
  }
  Table table{.name = "range_kernels",
              .title = "Kernels within ranges",
              .columns = {{"total_ns", "Total time", ColumnType::duration},
                          {"count", "Count", ColumnType::integer},
                          {"average_ns", "Average", ColumnType::duration},
                          {"min_ns", "Min", ColumnType::duration},
                          {"max_ns", "Max", ColumnType::duration},
                          {"rule", "Rule", ColumnType::text},
                          {"range", "Range", ColumnType::text},
                          {"kernel", "Kernel", ColumnType::text}}};
  add_pair_rows(trace, same, "same_thread", table);
  add_pair_rows(trace, other, "other_thread", table);
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) {
    return number(a.front()) > number(b.front());
  });
  return table;
}

Table range_gpu_table(const Trace& trace, const Attribution& attribution) {
  std::vector<Tally> same(trace.strings.size());
  std::vector<Tally> other(trace.strings.size());
  NamesOf names(trace);
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    const std::uint32_t call = trace.kernels.call[row];
    const std::int64_t duration = trace.kernels.duration(row);
    names.each(attribution.same_thread.of_call(call),
               [&](std::uint32_t name) { same[name].add(duration); });
    names.each(attribution.other_thread.of_call(call),
               [&](std::uint32_t name) { other[name].add(duration); });
  }
  Table table{.name = "range_gpu",
              .title = "Kernel time within ranges",
              .columns = {{"same_thread_ns", "Same thread", ColumnType::duration},
                          {"same_thread_kernels", "Kernels", ColumnType::integer},
                          {"other_thread_ns", "Other threads", ColumnType::duration},
                          {"other_thread_kernels", "Kernels", ColumnType::integer},
                          {"range", "Range", ColumnType::text}}};
  for (std::uint32_t name = 0; name < same.size(); ++name) {
    if (same[name].count + other[name].count == 0) continue;
    table.add_row({same[name].total, same[name].count, other[name].total, other[name].count,
                   trace.strings.view(name)});
  }
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) {
    const double total_a = number(a[0]) + number(a[2]);
    const double total_b = number(b[0]) + number(b[2]);
    if (total_a != total_b) return total_a > total_b;
    return std::get<std::string>(a[4].value()) < std::get<std::string>(b[4].value());
  });
  return table;
}

}  // namespace assay::trace
