#include "trace/analysis/range_select.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kInside = " > ";
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Names of a trace that fit by `fits`, as a byte per name.
template <class Fits>
std::vector<std::uint8_t> names_that(const Trace& trace, Fits fits) {
  std::vector<std::uint8_t> names(trace.strings.size(), 0);
  for (const std::uint32_t name : trace.ranges.name) {
    if (names[name] == 0 && fits(trace.strings.view(name))) names[name] = 1;
  }
  return names;
}

bool any(const std::vector<std::uint8_t>& bytes) {
  return std::ranges::find(bytes, 1) != bytes.end();
}

std::vector<std::uint8_t> names_for(const Trace& trace, std::string_view text) {
  auto names = names_that(trace, [&](std::string_view name) { return name == text; });
  if (any(names)) return names;
  names = names_that(trace, [&](std::string_view name) { return same_letters(name, text); });
  if (any(names) || text.find('*') == std::string_view::npos) return names;
  return names_that(trace, [&](std::string_view name) { return glob_match(text, name); });
}

std::vector<std::uint8_t> rows_named(const Trace& trace, std::string_view text) {
  const std::vector<std::uint8_t> names = names_for(trace, text);
  std::vector<std::uint8_t> rows(trace.ranges.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = names[trace.ranges.name[row]];
  return rows;
}

/// Keeps of `inner` what lies inside a row of `outer` on its thread.
void keep_inside(const Trace& trace, const std::vector<std::uint8_t>& outer,
                 std::vector<std::uint8_t>& inner) {
  // Rows come in order of start, so one that ends last reaches over all that a thread had open.
  std::vector<std::int64_t> open_until(trace.threads.size(), kNever);
  for (std::size_t row = 0; row < inner.size(); ++row) {
    std::int64_t& until = open_until[trace.ranges.thread[row]];
    if (until < trace.ranges.end[row]) inner[row] = 0;
    if (outer[row] != 0) until = std::max(until, trace.ranges.end[row]);
  }
}

Error none_fits(const Trace& trace, std::string_view text) {
  const auto groups = group_durations(
      trace.ranges, trace.strings.size(), [&](std::size_t row) { return trace.ranges.name[row]; },
      [&](std::uint32_t key) { return trace.strings.view(key); });
  std::string some;
  constexpr std::size_t kShown = 8;
  constexpr std::size_t kWidth = 80;
  for (std::size_t i = 0; i < std::min(groups.size(), kShown); ++i) {
    some += fmt::format("{}'{}'", i == 0 ? "" : ", ",
                        to_one_line(shorten_middle(trace.strings.view(groups[i].key), kWidth)));
  }
  return {ErrorCode::not_found,
          groups.empty() ? fmt::format("no range '{}': the profile holds no ranges", text)
                         : fmt::format("no range '{}'; there are {}{}", text, some,
                                       groups.size() > kShown ? " and others" : "")};
}

}  // namespace

Result<std::vector<std::uint8_t>> select_ranges(const Trace& trace, std::string_view text) {
  std::vector<std::uint8_t> chosen = rows_named(trace, text);
  if (any(chosen)) return chosen;
  chosen.assign(trace.ranges.size(), 0);
  std::string_view rest = text;
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t end = rest.find(kInside);
    std::vector<std::uint8_t> inner = rows_named(trace, rest.substr(0, end));
    if (!first) keep_inside(trace, chosen, inner);
    chosen = std::move(inner);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kInside.size());
  }
  if (any(chosen)) return chosen;
  return std::unexpected(none_fits(trace, text));
}

std::vector<std::uint8_t> ranges_under(const Trace& trace,
                                       const std::function<bool(std::string_view)>& says) {
  constexpr std::uint8_t kNotAsked = 2;
  std::vector<std::uint8_t> of_name(trace.strings.size(), kNotAsked);
  std::vector<std::int64_t> until(trace.threads.size(), kNever);
  std::vector<std::uint8_t> out(trace.ranges.size(), 0);
  for (std::size_t row = 0; row < out.size(); ++row) {
    std::uint8_t& name = of_name[trace.ranges.name[row]];
    if (name == kNotAsked) name = says(trace.strings.view(trace.ranges.name[row])) ? 1 : 0;
    std::int64_t& open = until[trace.ranges.thread[row]];
    out[row] = name != 0 || trace.ranges.end[row] <= open ? 1 : 0;
    if (name != 0) open = std::max(open, trace.ranges.end[row]);
  }
  return out;
}

std::vector<std::uint32_t> outermost(const Trace& trace, const std::vector<std::uint8_t>& chosen) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < chosen.size(); ++row) {
    if (chosen[row] != 0) rows.push_back(row);
  }
  return outermost(trace, std::move(rows));
}

std::vector<std::uint32_t> outermost(const Trace& trace, std::vector<std::uint32_t> rows) {
  std::vector<std::int64_t> open_until(trace.threads.size(), kNever);
  std::erase_if(rows, [&](std::uint32_t row) {
    std::int64_t& until = open_until[trace.ranges.thread[row]];
    const bool inside = trace.ranges.end[row] <= until;
    until = std::max(until, trace.ranges.end[row]);
    return inside;
  });
  return rows;
}

}  // namespace assay::trace
