#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_rep.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::cli {

struct InputOptions {
  std::optional<std::filesystem::path> nsys;  // none: looked for where installers put it
  bool raw_range_names = false;
};

using Profile = std::variant<trace::Trace, trace::StatsFile, trace::NcuReport>;

/// Reads a profile of any kind, told by its content. Fails with `invalid_argument` where it is
/// none, is corrupt, or holds nothing.
[[nodiscard]] Result<Profile> open_profile(const std::filesystem::path& path,
                                           const InputOptions& options);

/// nsys as it is found here, and the way it is run.
[[nodiscard]] trace::NsysTool nsys_tool(const std::optional<std::filesystem::path>& configured);

/// "12.5ms", "3s", "77600us"; a bare number is seconds, as timeit prints. Fails with
/// `invalid_argument`.
[[nodiscard]] Result<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// Where and how a report is written.
struct OutputOptions {
  std::string format = "table";
  std::optional<std::filesystem::path> file;  // none: standard output
};

/// Renders the report; what a CSV cannot hold goes to standard error.
[[nodiscard]] Result<void> write_report(const trace::Report& report, const OutputOptions& options);

/// Rows to show of each table where the user gave no number: all, unless people read them.
[[nodiscard]] std::size_t usual_limit(std::string_view format);

}  // namespace assay::cli
