#include "trace/events/nsys_sqlite.hpp"

#include <array>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/result.hpp"
#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"
#include "trace/gzip.hpp"

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
  if (!trace.graphs.empty()) {
    trace.diagnostics.add("graphs_traced_whole",
                          "kernels inside CUDA graphs are not in the profile: capture with "
                          "--cuda-graph-trace=node to see them",
                          trace.graphs.size());
  }
}

/// Takes out warnings of processes that only started the one that was profiled: nsys says of each
/// that it saw no CUDA in it.
void drop_launchers_warnings(Trace& trace) {
  std::erase_if(trace.capture.warnings, [&](const std::string& warning) {
    if (warning.starts_with("No CUDA events collected")) return !trace.calls.empty();
    if (warning.starts_with("No NVTX events collected")) return !trace.ranges.empty();
    return false;
  });
}

/// Calls and ranges, and what describes the capture.
Result<void> read_host(SqliteDatabase& database, const NsysSchema& schema,
                       const NsysStrings& strings, const NsysOptions& options, NsysIds& ids,
                       Assembly& out) {
  if (auto done = read_capture(database, schema, out.trace); !done) return done;
  if (auto done = read_calls(database, schema, strings, ids, out); !done) return done;
  return read_ranges(database, schema, strings, options, ids, out.trace);
}

/// A connection for each reader, so that several can read at once.
using Connect = std::function<Result<SqliteDatabase>()>;

// Reading is bound by SQLite's decoding of rows; beyond this, by memory.
constexpr std::size_t kMostReaders = 4;

/// All work, in parts, while `host` reads the rest; that is the longest part, so it comes first.
Result<std::vector<NsysWork>> read_all_work(const Connect& connect, const NsysSchema& schema,
                                            std::span<const NsysKernelRows> kernels,
                                            const std::function<void()>& host) {
  std::vector<Result<NsysWork>> read(kernels.size() + 1);
  in_parallel(1 + read.size(), kMostReaders, [&](std::size_t task) {
    if (task == 0) return host();
    auto database = connect();
    auto& part = read[task - 1];
    if (!database) {
      part = std::unexpected(std::move(database).error());
    } else {
      part = task <= kernels.size() ? read_kernels(*database, schema, kernels[task - 1])
                                    : read_other_work(*database, schema);
    }
  });
  std::vector<NsysWork> parts;
  for (auto& part : read) {
    if (!part) return std::unexpected(std::move(part).error());
    parts.push_back(*std::move(part));
  }
  return parts;
}

Result<Trace> read(const Connect& connect, const NsysOptions& options) {
  ASSAY_TRY(SqliteDatabase database, connect());
  ASSAY_TRY(const NsysSchema schema, NsysSchema::read(database));
  if (!is_export(schema)) {
    return fail(ErrorCode::invalid_argument,
                "an SQLite database, but not an export of Nsight Systems: it has none of the "
                "tables META_DATA_EXPORT, CUPTI_ACTIVITY_KIND_* and NVTX_EVENTS");
  }
  ASSAY_TRY(const NsysStrings strings, NsysStrings::read(database, schema));
  const std::vector<NsysKernelRows> kernels = kernel_parts(database, schema);
  Assembly assembly;
  NsysIds ids(assembly.trace);
  Result<void> host;
  auto work = read_all_work(connect, schema, kernels, [&] {
    host = read_host(database, schema, strings, options, ids, assembly);
  });
  if (!work) return std::unexpected(std::move(work).error());
  if (!host) return std::unexpected(std::move(host).error());
  merge_work(*std::move(work), strings, ids, assembly.trace);
  if (auto done = number_gpus(database, schema, assembly.trace); !done) {
    return std::unexpected(std::move(done).error());
  }
  note_missing(schema, assembly.trace);
  drop_launchers_warnings(assembly.trace);
  return assemble(std::move(assembly));
}

bool is_packed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string beginning(2, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return is_gzip(beginning);
}

Result<Trace> read_packed(const std::filesystem::path& path, const NsysOptions& options) {
  ASSAY_TRY(const std::string image, read_unpacked(path));
  const auto bytes = std::as_bytes(std::span(image));
  return read([&] { return SqliteDatabase::from_bytes(bytes); }, options);
}

}  // namespace

Result<Trace> read_nsys_sqlite(const std::filesystem::path& path, const NsysOptions& options) {
  auto trace = is_packed(path) ? read_packed(path, options)
                               : read([&] { return SqliteDatabase::open(path); }, options);
  if (!trace) return std::unexpected(std::move(trace).error().while_doing(path.string()));
  trace->capture.file = path.string();
  return trace;
}

Result<Trace> read_nsys_sqlite(std::span<const std::byte> image, const NsysOptions& options) {
  return read([&] { return SqliteDatabase::from_bytes(image); }, options);
}

}  // namespace assay::trace
