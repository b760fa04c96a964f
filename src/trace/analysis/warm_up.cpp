#include "trace/analysis/warm_up.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/analysis/range_select.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

/// How many of the first runs are slow for being first, at most half of them.
std::size_t slow_beginning(const std::vector<std::int64_t>& took) {
  constexpr double kSlow = 1.5;
  if (took.size() < 3) return 0;
  std::vector<std::int64_t> sorted = took;
  const double median = summarise(sorted).median;
  std::size_t slow = 0;
  while (slow < took.size() / 2 && static_cast<double>(took[slow]) > kSlow * median) ++slow;
  return slow;
}

}  // namespace

bool says_warm_up(std::string_view name) {
  std::string letters;  // "Warm-up", "warm_up" and "warmup" are one word
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters.find("warmup") != std::string::npos ||
         letters.find("warmingup") != std::string::npos;
}

std::vector<std::uint8_t> warm_up_ranges(const Trace& trace) {
  return ranges_under(trace, says_warm_up);
}

std::string leave_out_cut_off(const Trace& trace, std::vector<std::uint32_t>& rows) {
  const auto open = [&](std::uint32_t row) { return (trace.ranges.flags[row] & range_open) != 0; };
  const auto count = std::ranges::count_if(rows, open);
  if (count == 0 || count == std::ssize(rows)) return {};
  std::erase_if(rows, open);
  return fmt::format("{} that the profile cuts off {} left out.", count, count == 1 ? "is" : "are");
}

MeasuredRuns without_warm_up(const Trace& trace, const std::vector<std::uint8_t>& says_so,
                             const std::vector<std::uint32_t>& rows,
                             const std::vector<std::int64_t>& on_gpu, HostTime host) {
  MeasuredRuns out;
  for (const std::uint32_t row : rows) {
    (says_so[row] != 0 ? out.warm_up : out.measured).push_back(row);
  }
  if (out.measured.empty()) return {.measured = rows};  // all is warm-up: there is nothing else
  if (!out.warm_up.empty()) {
    out.why = fmt::format("{} of warm-up, told by ranges that say so, {} left out.",
                          out.warm_up.size(), out.warm_up.size() == 1 ? "is" : "are");
    return out;
  }
  std::vector<std::int64_t> on_host;
  if (host == HostTime::counts) {
    for (const std::uint32_t row : rows) on_host.push_back(trace.ranges.duration(row));
  }
  const std::size_t slow_on_host = slow_beginning(on_host);
  const auto slow = static_cast<std::ptrdiff_t>(std::max(slow_on_host, slow_beginning(on_gpu)));
  if (slow == 0) return out;
  out.warm_up.assign(rows.begin(), rows.begin() + slow);
  out.measured.assign(rows.begin() + slow, rows.end());
  out.by_gpu = std::cmp_greater(slow, slow_on_host);
  out.why = fmt::format(
      "The first{}, which took{} more than one and a half times the median, {} left out as "
      "warm-up.",
      slow == 1 ? "" : fmt::format(" {}", slow), out.by_gpu ? " the GPU" : "",
      slow == 1 ? "is" : "are");
  return out;
}

}  // namespace assay::trace
