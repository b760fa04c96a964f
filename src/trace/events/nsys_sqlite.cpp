#include "trace/events/nsys_sqlite.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

/// Any of these marks a database as an Nsight Systems export.
constexpr std::array<std::string_view, 5> kTellingTables = {
    "META_DATA_EXPORT", "EXPORT_META_DATA", "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"};

bool is_export(const NsysSchema& schema) {
  for (const std::string_view table : kTellingTables) {
    if (schema.has(table)) return true;
  }
  return false;
}

void note_missing(const NsysSchema& schema, Trace& trace) {
  if (!schema.has("CUPTI_ACTIVITY_KIND_KERNEL")) {
    trace.diagnostics.add("no_kernel_table",
                          "the profile holds no kernels (CUDA was not traced, "
                          "nothing ran, or the machine gave no GPU trace)");
  }
  if (trace.kernels.empty() && !trace.graphs.empty()) {
    trace.diagnostics.add("graphs_traced_whole",
                          "kernels inside CUDA graphs are not in the profile: capture with "
                          "--cuda-graph-trace=node to see them",
                          trace.graphs.size());
  }
}

/// Calls and ranges, and what describes the capture.
Result<void> read_host(SqliteDatabase& database, const NsysSchema& schema,
                       const NsysStrings& strings, const NsysOptions& options, NsysIds& ids,
                       Assembly& out) {
  if (auto done = read_capture(database, schema, out.trace); !done) return done;
  if (auto done = read_calls(database, schema, strings, ids, out); !done) return done;
  return read_ranges(database, schema, strings, options, ids, out.trace);
}

/// Reads through `first` and, where there is a `second` connection, with two threads: reading
/// is bound by SQLite's decoding of rows, and the two halves are of about the same size.
Result<Trace> read(SqliteDatabase& first, std::optional<SqliteDatabase> second,
                   const NsysOptions& options) {
  ASSAY_TRY(const NsysSchema schema, NsysSchema::read(first));
  if (!is_export(schema)) {
    return fail(ErrorCode::invalid_argument,
                "an SQLite database, but not an export of Nsight Systems: it has none of the "
                "tables META_DATA_EXPORT, CUPTI_ACTIVITY_KIND_* and NVTX_EVENTS");
  }
  ASSAY_TRY(const NsysStrings strings, NsysStrings::read(first, schema));
  Assembly assembly;
  NsysIds ids(assembly.trace);
  Result<NsysWork> work;
  Result<void> host;
  if (second) {
    const std::jthread reader([&] { work = read_work(*second, schema); });
    host = read_host(first, schema, strings, options, ids, assembly);
  } else {
    work = read_work(first, schema);
    host = read_host(first, schema, strings, options, ids, assembly);
  }
  if (!work) return std::unexpected(std::move(work).error());
  if (!host) return std::unexpected(std::move(host).error());
  merge_work(*std::move(work), strings, ids, assembly.trace);
  note_missing(schema, assembly.trace);
  return assemble(std::move(assembly));
}

}  // namespace

Result<Trace> read_nsys_sqlite(const std::filesystem::path& path, const NsysOptions& options) {
  ASSAY_TRY(SqliteDatabase first, SqliteDatabase::open(path));
  ASSAY_TRY(SqliteDatabase second, SqliteDatabase::open(path));
  auto trace = read(first, std::move(second), options);
  if (!trace) return std::unexpected(std::move(trace).error().while_doing(path.string()));
  trace->capture.file = path.string();
  return trace;
}

Result<Trace> read_nsys_sqlite(std::span<const std::byte> image, const NsysOptions& options) {
  ASSAY_TRY(SqliteDatabase database, SqliteDatabase::from_bytes(image));
  return read(database, std::nullopt, options);
}

}  // namespace assay::trace
