#include "trace/analysis/pass_places.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/projection.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {
namespace {

using Rows = std::vector<std::uint32_t>;

/// The rows by the name, without numbers, of the author's range next around each on its thread.
std::map<std::string, Rows> by_place(const Trace& trace, const Rows& rows) {
  std::map<std::string, Rows> places;
  std::vector<Rows> open(trace.threads.size());  // the author's, the innermost last
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < trace.ranges.size() && next < rows.size(); ++row) {
    if ((trace.ranges.flags[row] & range_automatic) != 0) continue;
    Rows& around = open[trace.ranges.thread[row]];
    std::erase_if(around, [&](std::uint32_t outer) {
      return trace.ranges.end[outer] <= trace.ranges.start[row];
    });
    if (row == rows[next]) {
      ++next;
      const auto holds = std::find_if(around.rbegin(), around.rend(), [&](std::uint32_t outer) {
        return trace.ranges.end[row] <= trace.ranges.end[outer];
      });
      if (holds != around.rend()) {
        places[numberless(trace.strings.view(trace.ranges.name[*holds]))].push_back(row);
      }
    }
    around.push_back(row);
  }
  return places;
}

double median_of(const Trace& trace, const Rows& rows, const std::vector<Projected>& projected) {
  const bool on_gpu =
      std::ranges::all_of(rows, [&](std::uint32_t row) { return projected[row].work > 0; });
  std::vector<std::int64_t> times;
  for (const std::uint32_t row : rows) {
    times.push_back(on_gpu ? projected[row].busy : trace.ranges.duration(row));
  }
  return summarise(times).median;
}

}  // namespace

std::string in_unlike_places(const Trace& trace, const Rows& rows,
                             const std::vector<Projected>& projected) {
  constexpr double kUnlike = 1.25;
  std::map<std::string, Rows> places = by_place(trace, rows);
  std::erase_if(places, [](const auto& place) {
    return place.second.size() < 2 || says_warm_up(place.first);
  });
  if (places.size() < 2) return {};
  std::string list;
  double least = 0;
  double most = 0;
  for (const auto& [name, inside] : places) {
    const double median = median_of(trace, inside, projected);
    least = list.empty() ? median : std::min(least, median);
    most = std::max(most, median);
    list += fmt::format("{}inside '{}' ({} times)", list.empty() ? "" : ", ", name, inside.size());
  }
  if (most <= kUnlike * least) return {};
  return list;
}

}  // namespace assay::trace
