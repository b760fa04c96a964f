#include "trace/events/nsys_stats.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/csv.hpp"
#include "trace/gzip.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

using Record = std::vector<std::string>;

/// Where the columns of a summary are, and what a unit of its times is in nanoseconds.
struct Layout {
  std::string report;
  std::size_t columns = 0;
  std::optional<std::size_t> total, count, average, median, least, greatest, deviation, name;
  double unit = 1;
};

std::optional<std::size_t> find_column(const Record& header,
                                       std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    // "Avg (ns)" is the column Avg, whatever its unit.
    const std::string_view bare = std::string_view(header[i]).substr(0, header[i].find(" ("));
    if (std::ranges::find(names, bare) != names.end()) return i;
  }
  return std::nullopt;
}

double unit_of(std::string_view heading) {
  struct Unit {
    std::string_view text;
    double nanoseconds;
  };
  constexpr auto kUnits = std::to_array<Unit>(
      {{"(ns)", 1}, {"(us)", 1e3}, {"(ms)", 1e6}, {"(sec)", 1e9}, {"(s)", 1e9}});
  for (const Unit& unit : kUnits) {
    if (heading.ends_with(unit.text)) return unit.nanoseconds;
  }
  return 1;
}

std::string_view report_by_columns(const Record& header) {
  if (find_column(header, {"Instances"}) && find_column(header, {"Name"}))
    return "cuda_gpu_kern_sum";
  if (find_column(header, {"Range"})) return "nvtx_sum";
  if (find_column(header, {"Operation"})) return "cuda_gpu_mem_time_sum";
  return "cuda_api_sum";
}

/// Nothing where the record is no header of a summary of times.
std::optional<Layout> layout_of(const Record& header) {
  Layout layout{.columns = header.size()};
  layout.total = find_column(header, {"Total Time"});
  layout.count = find_column(header, {"Instances", "Num Calls", "Count", "Calls"});
  layout.name = find_column(header, {"Name", "Range", "Operation"});
  if (!layout.total || !layout.count || !layout.name) return std::nullopt;
  layout.average = find_column(header, {"Avg", "Average"});
  layout.median = find_column(header, {"Med", "Median"});
  layout.least = find_column(header, {"Min", "Minimum"});
  layout.greatest = find_column(header, {"Max", "Maximum"});
  layout.deviation = find_column(header, {"StdDev", "Std Dev"});
  layout.unit = unit_of(header[*layout.total]);
  layout.report = report_by_columns(header);
  return layout;
}

std::optional<double> number(std::string text) {
  std::erase(text, ',');  // thousands
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(std::abs(value) < 4e18)) return std::nullopt;
  return value;
}

double time(const Record& record, std::optional<std::size_t> column, double unit) {
  if (!column) return kAbsent;
  const auto value = number(record[*column]);
  return value ? *value * unit : kAbsent;
}

std::int64_t whole(double value) {
  return std::isnan(value) ? 0 : std::llround(value);
}

std::optional<NamedSummary> summary_of(const Record& record, const Layout& layout) {
  if (record.size() != layout.columns) return std::nullopt;
  const auto count = number(record[*layout.count]);
  const double total = time(record, layout.total, layout.unit);
  if (!count || *count < 0 || !(std::abs(total) < 4e18)) return std::nullopt;
  return NamedSummary{.name = to_valid_utf8(record[*layout.name]),
                      .summary = {.count = static_cast<std::uint64_t>(*count),
                                  .total = whole(total),
                                  .average = time(record, layout.average, layout.unit),
                                  .median = time(record, layout.median, layout.unit),
                                  .least = whole(time(record, layout.least, layout.unit)),
                                  .greatest = whole(time(record, layout.greatest, layout.unit)),
                                  .deviation = time(record, layout.deviation, layout.unit)}};
}

/// "Processing [x.sqlite] with [/opt/.../reports/cuda_gpu_kern_sum.py]..."
std::optional<std::string> announced_report(std::string_view line) {
  if (!line.starts_with("Processing [")) return std::nullopt;
  const std::size_t end = line.rfind(".py]");
  const std::size_t start = line.rfind('/', end);
  if (end == std::string_view::npos || start == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(start + 1, end - start - 1));
}

Error no_summary(std::string_view text) {
  const std::string line = to_one_line(text.substr(0, text.find('\n')));
  const bool stale = text.find("force-export") != std::string_view::npos;
  const bool skipped = text.find("SKIPPED") != std::string_view::npos;
  std::string why =
      fmt::format("no summary of `nsys stats` in it; it begins '{}'", shorten_middle(line, 100));
  if (stale) why += "; nsys refused a stale export: run it with --force-export=true";
  if (skipped) why += "; nsys found no data of that kind in the profile";
  return {ErrorCode::invalid_argument, why};
}

}  // namespace

const StatsTable* StatsFile::find(std::string_view report) const {
  const auto found = std::ranges::find(tables, report, &StatsTable::report);
  return found == tables.end() ? nullptr : &*found;
}

Result<StatsFile> parse_nsys_stats(std::string_view text) {
  StatsFile file;
  CsvReader reader(text);
  std::optional<Layout> layout;
  std::optional<std::string> announced;
  while (!reader.at_end()) {
    if (auto report = announced_report(reader.peek_line())) {
      announced = std::move(report);
      layout.reset();
      reader.skip_line();
      continue;
    }
    const auto record = reader.next();
    if (!record) break;
    if (auto header = layout_of(*record)) {
      layout = std::move(header);
      file.tables.push_back({.report = announced ? *std::exchange(announced, {}) : layout->report});
      continue;
    }
    if (!layout || (record->size() == 1 && record->front().empty())) continue;
    if (auto row = summary_of(*record, *layout)) {
      file.tables.back().rows.push_back(*std::move(row));
    } else {
      file.diagnostics.add("lines_left_out", "lines that are no row of a summary");
    }
  }
  if (reader.malformed() > 0) {
    file.diagnostics.add("csv_quote_unclosed", "records with a quote that is never closed",
                         reader.malformed());
  }
  if (file.tables.empty()) return std::unexpected(no_summary(text));
  return file;
}

Result<StatsFile> read_nsys_stats(const std::filesystem::path& path) {
  ASSAY_TRY(const std::string text, read_unpacked(path));
  auto file = parse_nsys_stats(text);
  if (!file) return std::unexpected(std::move(file).error().while_doing(path.string()));
  file->file = path.string();
  return file;
}

}  // namespace assay::trace
