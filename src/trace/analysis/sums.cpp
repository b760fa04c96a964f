#include "trace/analysis/sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

std::uint32_t name_of(const Function& function, KernelNaming naming) {
  return naming == KernelNaming::demangled ? function.name : function.short_name;
}

std::int64_t total_of(std::span<const Group> groups) {
  std::int64_t total = 0;
  for (const Group& group : groups) total += group.summary.total;
  return total;
}

std::vector<Cell> row_of(const Summary& summary, std::int64_t whole, std::vector<Cell> more) {
  std::vector<Cell> row = summary_cells(summary, whole);
  row.insert(row.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return row;
}

Table table_of(std::string name, std::string title, std::vector<Column> more) {
  Table table{.name = std::move(name), .title = std::move(title), .columns = summary_columns()};
  table.columns.insert(table.columns.end(), more.begin(), more.end());
  return table;
}

double per_second(std::uint64_t amount, std::int64_t nanoseconds) {
  if (nanoseconds <= 0) return 0;
  return static_cast<double>(amount) * 1e9 / static_cast<double>(nanoseconds);
}

/// By short name: of the functions that have it, the one with the most time.
std::vector<std::uint32_t> functions_with_most_time(const Trace& trace,
                                                    std::span<const std::uint8_t> chosen) {
  std::vector<std::int64_t> time(trace.functions.size(), 0);
  for (std::size_t row = 0; row < trace.kernels.size(); ++row) {
    if (!chosen.empty() && chosen[row] == 0) continue;
    time[trace.kernels.function[row]] += trace.kernels.duration(row);
  }
  std::vector<std::uint32_t> most(trace.strings.size(), kNone);
  for (std::uint32_t function = 0; function < trace.functions.size(); ++function) {
    std::uint32_t& best = most[trace.functions[function].short_name];
    if (best == kNone || time[function] > time[best]) best = function;
  }
  return most;
}

}  // namespace

std::int64_t total_of(std::span<const NamedSummary> sums) {
  std::int64_t total = 0;
  for (const NamedSummary& sum : sums) total += sum.summary.total;
  return total;
}

std::vector<NamedSummary> kernel_sums(const Trace& trace, KernelNaming naming,
                                      std::span<const std::uint8_t> chosen) {
  const auto key_of = [&](std::size_t row) {
    if (!chosen.empty() && chosen[row] == 0) return kNone;
    return name_of(trace.functions[trace.kernels.function[row]], naming);
  };
  const auto groups = group_durations(trace.kernels, trace.strings.size(), key_of,
                                      [&](std::uint32_t key) { return trace.strings.view(key); });
  std::vector<NamedSummary> sums;
  sums.reserve(groups.size());
  for (const Group& group : groups) {
    sums.push_back({std::string(trace.strings.view(group.key)), group.summary});
  }
  if (naming == KernelNaming::demangled) return sums;
  const std::vector<std::uint32_t> most = functions_with_most_time(trace, chosen);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sums[i].full_name = trace.function_name(most[groups[i].key]);
  }
  return sums;
}

std::vector<ClassSum> class_sums(std::span<const NamedSummary> kernels,
                                 const OpClassifier& classifier) {
  std::map<OpClass, ClassSum> by_class;
  for (const NamedSummary& kernel : kernels) {
    const OpClass op = classifier.classify(kernel.telling_name()).op;
    ClassSum& sum = by_class[op];
    sum.op = op;
    sum.count += kernel.summary.count;
    sum.total += kernel.summary.total;
    sum.kernels.push_back(kernel);
  }
  std::vector<ClassSum> sums;
  sums.reserve(by_class.size());
  for (auto& [op, sum] : by_class) sums.push_back(std::move(sum));
  std::ranges::stable_sort(sums, std::greater<>{}, &ClassSum::total);
  return sums;
}

Table kernel_table(std::span<const NamedSummary> kernels, const OpClassifier& classifier) {
  Table table = table_of("kernels", "Kernels by total time",
                         {{"op_class", "Class", ColumnType::text},
                          {"name", "Name", ColumnType::text},
                          {"rule", "Class by rule", ColumnType::text}});
  const std::int64_t whole = total_of(kernels);
  for (const NamedSummary& kernel : kernels) {
    Classified classified = classifier.classify(kernel.telling_name());
    table.add_row(row_of(kernel.summary, whole,
                         {to_string(classified.op), kernel.name, std::move(classified.rule)}));
  }
  return table;
}

Table class_table(std::span<const ClassSum> classes) {
  Table table{.name = "op_classes",
              .title = "Operation classes by total time",
              .columns = {{"time_pct", "Time", ColumnType::percent},
                          {"total_ns", "Total time", ColumnType::duration},
                          {"count", "Count", ColumnType::integer},
                          {"names", "Names", ColumnType::integer},
                          {"op_class", "Class", ColumnType::text},
                          {"top_kernel", "Most of it", ColumnType::text}}};
  double whole = 0;
  for (const ClassSum& sum : classes) whole += static_cast<double>(sum.total);
  for (const ClassSum& sum : classes) {
    table.add_row({share_pct(static_cast<double>(sum.total), whole), sum.total, sum.count,
                   sum.kernels.size(), to_string(sum.op), sum.kernels.front().name});
  }
  return table;
}

Table shape_table(const Trace& trace, KernelNaming naming) {
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return hash_of(key.first, key.second); }
  };
  Interner<Key, KeyHash> keys;
  std::vector<std::uint32_t> key_of(trace.kernels.size());
  for (std::size_t row = 0; row < key_of.size(); ++row) {
    key_of[row] = keys(
        {name_of(trace.functions[trace.kernels.function[row]], naming), trace.kernels.shape[row]});
  }
  const auto groups = group_durations(
      trace.kernels, keys.keys().size(), [&](std::size_t row) { return key_of[row]; },
      [&](std::uint32_t key) { return trace.strings.view(keys.keys()[key].first); });

  Table table = table_of("kernel_shapes", "Kernels by grid and block",
                         {{"grid", "Grid", ColumnType::text},
                          {"block", "Block", ColumnType::text},
                          {"name", "Name", ColumnType::text}});
  const std::int64_t whole = total_of(groups);
  for (const Group& group : groups) {
    const auto [name, shape_id] = keys.keys()[group.key];
    const Shape& shape = trace.shapes[shape_id];
    table.add_row(row_of(group.summary, whole,
                         {fmt::format("{}x{}x{}", shape.grid[0], shape.grid[1], shape.grid[2]),
                          fmt::format("{}x{}x{}", shape.block[0], shape.block[1], shape.block[2]),
                          trace.strings.view(name)}));
  }
  return table;
}

Table call_table(const Trace& trace) {
  const auto groups = group_durations(
      trace.calls, trace.strings.size(), [&](std::size_t row) { return trace.calls.name[row]; },
      [&](std::uint32_t key) { return trace.strings.view(key); });
  Table table =
      table_of("cuda_api", "CUDA API calls by total time", {{"name", "Name", ColumnType::text}});
  const std::int64_t whole = total_of(groups);
  for (const Group& group : groups) {
    table.add_row(row_of(group.summary, whole, {trace.strings.view(group.key)}));
  }
  return table;
}

Table copy_table(const Trace& trace) {
  constexpr std::size_t kKinds = static_cast<std::size_t>(CopyKind::unknown) + 1;
  const auto kind_of = [&](std::size_t row) {
    return static_cast<std::uint32_t>(trace.copies.kind[row]);
  };
  const auto groups = group_durations(trace.copies, kKinds, kind_of, [](std::uint32_t key) {
    return to_string(static_cast<CopyKind>(key));
  });
  std::vector<std::uint64_t> bytes(kKinds, 0);
  for (std::size_t row = 0; row < trace.copies.size(); ++row) {
    bytes[kind_of(row)] += trace.copies.bytes[row];
  }
  Table table = table_of("memory_copies", "Memory copies by kind",
                         {{"moved_bytes", "Moved", ColumnType::bytes},
                          {"bandwidth_bytes_per_s", "Bandwidth", ColumnType::bytes_per_second},
                          {"kind", "Kind", ColumnType::text}});
  const std::int64_t whole = total_of(groups);
  for (const Group& group : groups) {
    table.add_row(row_of(group.summary, whole,
                         {bytes[group.key], per_second(bytes[group.key], group.summary.total),
                          to_string(static_cast<CopyKind>(group.key))}));
  }
  return table;
}

Table fill_table(const Trace& trace) {
  const auto groups = group_durations(
      trace.fills, 1, [](std::size_t) { return std::uint32_t{0}; },
      [](std::uint32_t) { return std::string_view(); });
  std::uint64_t bytes = 0;
  for (const std::uint64_t amount : trace.fills.bytes) bytes += amount;
  Table table = table_of("memory_sets", "Memory sets",
                         {{"moved_bytes", "Set", ColumnType::bytes},
                          {"bandwidth_bytes_per_s", "Bandwidth", ColumnType::bytes_per_second}});
  for (const Group& group : groups) {
    table.add_row(row_of(group.summary, group.summary.total,
                         {bytes, per_second(bytes, group.summary.total)}));
  }
  return table;
}

Table range_table(const Trace& trace) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, RangeStyle>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return hash_of(std::get<0>(key), std::get<1>(key), static_cast<int>(std::get<2>(key)));
    }
  };
  const Ranges& ranges = trace.ranges;
  Interner<Key, KeyHash> keys;
  std::vector<std::uint32_t> key_of(ranges.size());
  for (std::size_t row = 0; row < key_of.size(); ++row) {
    key_of[row] = keys({ranges.name[row], ranges.domain[row], ranges.style[row]});
  }
  const auto groups = group_durations(
      ranges, keys.keys().size(), [&](std::size_t row) { return key_of[row]; },
      [&](std::uint32_t key) { return trace.strings.view(std::get<0>(keys.keys()[key])); });
  Table table = table_of("ranges", "Ranges by total time",
                         {{"style", "Style", ColumnType::text},
                          {"domain", "Domain", ColumnType::text},
                          {"range", "Range", ColumnType::text}});
  const std::int64_t whole = total_of(groups);
  for (const Group& group : groups) {
    const auto& [name, domain, style] = keys.keys()[group.key];
    table.add_row(row_of(group.summary, whole,
                         {style == RangeStyle::push_pop ? "push_pop" : "start_end",
                          trace.strings.view(domain), trace.strings.view(name)}));
  }
  table.notes.emplace_back(
      "Ranges nest: shares are of the sum over all ranges, as `nsys stats` gives them.");
  return table;
}

}  // namespace assay::trace
