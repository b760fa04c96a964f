#include "trace/events/nsys_rep.hpp"

#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

/// The name of the report an export was made from; empty where it does not say.
Result<std::string> exported_from(const std::filesystem::path& sqlite) {
  ASSAY_TRY(SqliteDatabase database, SqliteDatabase::open(sqlite));
  ASSAY_TRY(const NsysSchema schema, NsysSchema::read(database));
  Trace trace;
  if (auto done = read_capture(database, schema, trace); !done) {
    return std::unexpected(std::move(done).error());
  }
  return std::filesystem::path(trace.capture.source).filename().string();
}

}  // namespace

ExportState export_state(const std::filesystem::path& report) {
  ExportState state{.path = std::filesystem::path(report).replace_extension(".sqlite")};
  std::error_code error;
  const auto exported = std::filesystem::last_write_time(state.path, error);
  if (error) return state;
  state.kind = ExportState::Kind::stale;
  const auto recorded = std::filesystem::last_write_time(report, error);
  if (!error && exported < recorded) {
    state.why = "it is older than the report";
    return state;
  }
  const auto source = exported_from(state.path);
  if (!source) {
    state.why = source.error().message();
  } else if (!source->empty() && *source != report.filename()) {
    state.why = fmt::format("it was exported from {}", *source);
  } else {
    state.kind = ExportState::Kind::fresh;
  }
  return state;
}

std::vector<std::string> export_command(const std::filesystem::path& nsys,
                                        const std::filesystem::path& report,
                                        const std::filesystem::path& sqlite) {
  return {nsys.string(), "export",   "--type",        "sqlite",       "--force-overwrite",
          "true",        "--output", sqlite.string(), report.string()};
}

Result<Trace> read_nsys_rep(const std::filesystem::path& report, const NsysTool& tool,
                            const NsysOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(report, error)) {
    return fail(ErrorCode::not_found, fmt::format("open {}: no such file", report.string()));
  }
  const ExportState state = export_state(report);
  if (state.kind != ExportState::Kind::fresh) {
    const std::string need =
        state.kind == ExportState::Kind::absent
            ? fmt::format("{} must be exported to be read", report.string())
            : fmt::format("the export {} is stale: {}", state.path.string(), state.why);
    if (!tool.nsys) {
      return fail(ErrorCode::unavailable,
                  fmt::format("{}, and nsys is not installed here. Where it is: nsys export --type "
                              "sqlite --force-overwrite true --output {} {}",
                              need, state.path.string(), report.string()));
    }
    auto done = tool.run(export_command(*tool.nsys, report, state.path));
    if (!done) return std::unexpected(std::move(done).error().while_doing(need));
  }
  ASSAY_TRY(Trace trace, read_nsys_sqlite(state.path, options));
  trace.capture.file = report.string();
  return trace;
}

}  // namespace assay::trace
