#include "trace/analysis/projection.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/analysis/attribution.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/work_order.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// What the ranges of one name come to.
struct NameSum {
  std::vector<std::int64_t> durations;  // projected
  std::int64_t host = 0;
  std::int64_t busy = 0;
  std::uint64_t work = 0;
};

/// A byte per range: nonzero where it lies inside another of its name on its thread, whose work is
/// its own as well.
std::vector<std::uint8_t> inside_own_name(const Trace& trace) {
  std::unordered_map<std::uint64_t, std::int64_t> until;  // by thread and name
  std::vector<std::uint8_t> out(trace.ranges.size(), 0);
  for (std::size_t row = 0; row < out.size(); ++row) {
    const std::uint64_t key =
        (std::uint64_t{trace.ranges.thread[row]} << 32U) | trace.ranges.name[row];
    const auto [found, added] = until.try_emplace(key, trace.ranges.end[row]);
    if (added) continue;
    out[row] = trace.ranges.end[row] <= found->second ? 1 : 0;
    found->second = std::max(found->second, trace.ranges.end[row]);
  }
  return out;
}

std::vector<NameSum> by_name(const Trace& trace, const std::vector<Projected>& projected,
                             const std::vector<std::uint8_t>& inside) {
  std::vector<NameSum> sums(trace.strings.size());
  for (std::size_t row = 0; row < projected.size(); ++row) {
    if (projected[row].work == 0 || inside[row] != 0) continue;
    NameSum& sum = sums[trace.ranges.name[row]];
    sum.durations.push_back(projected[row].duration());
    sum.host += trace.ranges.duration(row);
    sum.busy += projected[row].busy;
    sum.work += projected[row].work;
  }
  return sums;
}

void add_row(const Trace& trace, std::uint32_t name, NameSum& sum, std::string_view rule,
             Table& table) {
  const Summary summary = summarise(sum.durations);
  table.add_row({summary.total, summary.count, one_decimal(summary.average),
                 one_decimal(summary.median), summary.least, summary.greatest, sum.busy, sum.host,
                 sum.work, rule, trace.strings.view(name)});
}

}  // namespace

std::vector<Projected> project(const Trace& trace, const Attribution& attribution, RangeRule rule) {
  std::vector<Projected> out(trace.ranges.size());
  for_each_work(trace, [&](WorkRow at, const Work& work) {
    const std::int64_t start = work.start[at.row];
    const std::int64_t end = work.end[at.row];
    const auto add = [&](std::span<const std::uint32_t> ranges) {
      for (const std::uint32_t row : ranges) {
        Projected& range = out[row];
        if (range.work == 0) {
          range.start = start;
          range.end = start;
        }
        // Work comes in order of start, so what is covered so far is covered without a hole
        // up to range.end or not at all after it.
        if (end > range.end) range.busy += end - std::max(start, range.end);
        range.end = std::max(range.end, end);
        ++range.work;
        if (at.kind == WorkKind::kernel) {
          ++range.kernels;
          range.kernel_time += end - start;
        } else if (at.kind == WorkKind::graph) {
          ++range.graphs;
          range.graph_time += end - start;
        }
      }
    };
    const std::uint32_t call = work.call[at.row];
    add(attribution.same_thread.of_call(call));
    if (rule == RangeRule::both) add(attribution.other_thread.of_call(call));
  });
  return out;
}

Table projection_table(const Trace& trace, const Attribution& attribution) {
  Table table{.name = "range_projection",
              .title = "Ranges as the GPUs saw them",
              .columns = {{"projected_total_ns", "Projected", ColumnType::duration},
                          {"count", "Ranges", ColumnType::integer},
                          {"projected_average_ns", "Average", ColumnType::duration},
                          {"projected_median_ns", "Median", ColumnType::duration},
                          {"projected_min_ns", "Min", ColumnType::duration},
                          {"projected_max_ns", "Max", ColumnType::duration},
                          {"gpu_busy_ns", "GPU busy", ColumnType::duration},
                          {"host_total_ns", "On the host", ColumnType::duration},
                          {"gpu_work", "Pieces of work", ColumnType::integer},
                          {"rule", "Rule", ColumnType::text},
                          {"range", "Range", ColumnType::text}}};
  const std::vector<std::uint8_t> inside = inside_own_name(trace);
  auto same = by_name(trace, project(trace, attribution, RangeRule::same_thread), inside);
  auto both = by_name(trace, project(trace, attribution, RangeRule::both), inside);
  for (std::uint32_t name = 0; name < same.size(); ++name) {
    const std::uint64_t more = both[name].work - same[name].work;
    if (same[name].work > 0) add_row(trace, name, same[name], "same_thread", table);
    if (more > 0) add_row(trace, name, both[name], "both", table);
  }
  std::ranges::stable_sort(table.rows, [](const auto& a, const auto& b) {
    return a.front().number().value_or(0) > b.front().number().value_or(0);
  });
  table.notes.emplace_back(
      "A projected range lasts from the start of the first work launched in it to the end of the "
      "last; ranges that launched nothing, or lie inside another of their name, are left out.");
  return table;
}

std::vector<std::int64_t> projected_times(const std::vector<Projected>& projected,
                                          const std::vector<std::uint32_t>& rows) {
  std::vector<std::int64_t> out;
  out.reserve(rows.size());
  for (const std::uint32_t row : rows) out.push_back(projected[row].duration());
  return out;
}

}  // namespace assay::trace
