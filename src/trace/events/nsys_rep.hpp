#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {

/// Nsight Systems, if it is installed on this machine.
struct NsysTool {
  std::optional<std::filesystem::path> nsys;  // none: not installed
  /// Runs a command to its end; fails where it cannot be run or does not exit with 0.
  std::function<Result<void>(const std::vector<std::string>& argv)> run;
};

/// Whether the SQLite file beside a report can be read in its stead.
struct ExportState {
  enum class Kind : std::uint8_t { absent, fresh, stale };
  Kind kind = Kind::absent;
  std::filesystem::path path;  // run.sqlite for run.nsys-rep, where nsys itself puts it
  std::string why;             // stale: what shows it
};

/// An export is stale if the report is newer, or if it says that it was made from another file.
/// Answers from it would be about a different run.
[[nodiscard]] ExportState export_state(const std::filesystem::path& report);

/// The command that makes the export anew.
[[nodiscard]] std::vector<std::string> export_command(const std::filesystem::path& nsys,
                                                      const std::filesystem::path& report,
                                                      const std::filesystem::path& sqlite);

/// Reads a `.nsys-rep`. It uses the export beside it if that is fresh, else one that `tool` makes.
/// Fails with `unavailable` where an export is needed and nsys is not installed.
[[nodiscard]] Result<Trace> read_nsys_rep(const std::filesystem::path& report, const NsysTool& tool,
                                          const NsysOptions& options = {});

}  // namespace assay::trace
