#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/diagnostics.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

struct QueueHash {
  std::size_t operator()(const NsysWork::QueueKey& key) const {
    return hash_of(key.process, key.device, key.context, key.stream);
  }
};
struct FunctionHash {
  std::size_t operator()(const NsysWork::FunctionKey& key) const {
    return hash_of(key.name, key.short_name);
  }
};
struct ShapeHash {
  std::size_t operator()(const Shape& s) const {
    return hash_of(s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2]);
  }
};

using Queues = Interner<NsysWork::QueueKey, QueueHash>;

// Every table of work begins with these, so that one function reads them.
#define ASSAY_WORK_COLUMNS \
  "start", "end", "correlationId", "globalPid", "deviceId", "contextId", "streamId"
constexpr int kFirstOwnColumn = 7;

std::uint32_t to_u32(std::int64_t value) {
  return std::in_range<std::uint32_t>(value) ? static_cast<std::uint32_t>(value) : 0;
}

std::uint64_t to_u64(std::int64_t value) {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

/// Reads the table if it exists, calling `own` for the columns after the common ones.
template <class Own>
Result<void> read_table(SqliteDatabase& database, const NsysSchema& schema, std::string_view table,
                        std::string_view what, std::span<const std::string_view> columns,
                        Work& work, Queues& queues, Diagnostics& diagnostics, Own own) {
  const auto* existing = schema.columns_of(table);
  if (existing == nullptr) return {};
  const std::size_t bound = database.row_bound(table);
  work.start.reserve(bound);
  work.end.reserve(bound);
  work.call.reserve(bound);
  work.queue.reserve(bound);
  ASSAY_TRY(SqliteRows rows, database.select(table, columns, *existing));
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) return {};
    if (!has_times(rows, what, diagnostics)) continue;
    work.start.push_back(rows.integer(0));
    work.end.push_back(rows.integer(1));
    work.call.push_back(to_u32(rows.integer(2)));
    work.queue.push_back(queues({.process = static_cast<std::uint64_t>(rows.integer(3)) >> kTidBits,
                                 .device = rows.integer(4),
                                 .context = rows.integer(5),
                                 .stream = rows.integer(6)}));
    own(rows);
  }
}

constexpr std::int64_t kNoString = -1;

/// A string's id; 0 is one, so a NULL must be told from it.
std::int64_t id_of(const SqliteRows& row, int column, std::int64_t otherwise) {
  const std::int64_t id = row.integer(column);
  return id == 0 && row.is_null(column) ? otherwise : id;
}

// The numbers are CUPTI's CUpti_ActivityMemcpyKind, and above 10 Nsight Systems' own.
CopyKind copy_kind(std::int64_t kind) {
  switch (kind) {
    case 1:
      return CopyKind::host_to_device;
    case 2:
      return CopyKind::device_to_host;
    case 3:
      return CopyKind::host_to_device;  // to an array, as 4 to 7 are
    case 4:
      return CopyKind::device_to_host;
    case 5:
    case 6:
    case 7:
    case 8:
      return CopyKind::device_to_device;
    case 9:
      return CopyKind::host_to_host;
    case 10:
      return CopyKind::peer_to_peer;
    case 11:
      return CopyKind::unified_host_to_device;
    case 12:
      return CopyKind::unified_device_to_host;
    case 13:
      return CopyKind::unified_device_to_device;
    default:
      return CopyKind::unknown;
  }
}

Result<void> read_kernels(SqliteDatabase& database, const NsysSchema& schema, Queues& queues,
                          NsysWork& work) {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_KERNEL";
  constexpr std::array<std::string_view, 16> kColumns = {
      ASSAY_WORK_COLUMNS, "demangledName", "shortName", "gridX",      "gridY", "gridZ",
      "blockX",           "blockY",        "blockZ",    "graphNodeId"};
  Interner<NsysWork::FunctionKey, FunctionHash> functions;
  Interner<Shape, ShapeHash> shapes;
  Kernels& kernels = work.kernels;
  if (schema.has(kTable)) {
    const std::size_t bound = database.row_bound(kTable);
    kernels.function.reserve(bound);
    kernels.shape.reserve(bound);
  }
  const auto read_own = [&](const SqliteRows& row) {
    const int c = kFirstOwnColumn;
    const std::int64_t name = id_of(row, c, kNoString);
    kernels.function.push_back(functions({.name = name, .short_name = id_of(row, c + 1, name)}));
    kernels.shape.push_back(
        shapes({.grid = {to_u32(row.integer(c + 2)), to_u32(row.integer(c + 3)),
                         to_u32(row.integer(c + 4))},
                .block = {to_u32(row.integer(c + 5)), to_u32(row.integer(c + 6)),
                          to_u32(row.integer(c + 7))}}));
    const std::uint64_t node = to_u64(row.integer(c + 8));
    if (node != 0) kernels.graph_node.resize(kernels.start.size() - 1);
    if (node != 0 || !kernels.graph_node.empty()) kernels.graph_node.push_back(node);
  };
  auto done = read_table(database, schema, kTable, "kernels", kColumns, kernels, queues,
                         work.diagnostics, read_own);
  work.functions = functions.keys();
  work.shapes = shapes.keys();
  return done;
}

Result<void> read_memory(SqliteDatabase& database, const NsysSchema& schema, Queues& queues,
                         NsysWork& work) {
  constexpr std::array<std::string_view, 9> kCopyColumns = {ASSAY_WORK_COLUMNS, "bytes",
                                                            "copyKind"};
  constexpr std::array<std::string_view, 8> kFillColumns = {ASSAY_WORK_COLUMNS, "bytes"};
  auto copies =
      read_table(database, schema, "CUPTI_ACTIVITY_KIND_MEMCPY", "copies", kCopyColumns,
                 work.copies, queues, work.diagnostics, [&](const SqliteRows& row) {
                   work.copies.bytes.push_back(to_u64(row.integer(kFirstOwnColumn)));
                   work.copies.kind.push_back(copy_kind(row.integer(kFirstOwnColumn + 1)));
                 });
  if (!copies) return copies;
  return read_table(database, schema, "CUPTI_ACTIVITY_KIND_MEMSET", "fills", kFillColumns,
                    work.fills, queues, work.diagnostics, [&](const SqliteRows& row) {
                      work.fills.bytes.push_back(to_u64(row.integer(kFirstOwnColumn)));
                    });
}

Result<void> read_graphs(SqliteDatabase& database, const NsysSchema& schema, Queues& queues,
                         NsysWork& work) {
  constexpr std::array<std::string_view, 9> kColumns = {ASSAY_WORK_COLUMNS, "graphId",
                                                        "graphExecId"};
  return read_table(database, schema, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graphs", kColumns,
                    work.graphs, queues, work.diagnostics, [&](const SqliteRows& row) {
                      work.graphs.graph.push_back(to_u64(row.integer(kFirstOwnColumn)));
                      work.graphs.executable.push_back(to_u64(row.integer(kFirstOwnColumn + 1)));
                    });
}

std::uint32_t function_text(std::int64_t id, const NsysStrings& strings, Trace& trace) {
  if (const auto text = strings.find(id)) return intern_text(*text, trace);
  trace.diagnostics.add("kernel_name_missing", "names that StringIds does not hold");
  return trace.strings.intern("(unnamed)");
}

}  // namespace

Result<NsysWork> read_work(SqliteDatabase& database, const NsysSchema& schema) {
  NsysWork work;
  Queues queues;
  for (const auto read : {&read_kernels, &read_memory, &read_graphs}) {
    if (auto done = read(database, schema, queues, work); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  work.queues = queues.keys();
  return work;
}

void merge_work(NsysWork work, const NsysStrings& strings, NsysIds& ids, Trace& trace) {
  trace.kernels = std::move(work.kernels);
  trace.copies = std::move(work.copies);
  trace.fills = std::move(work.fills);
  trace.graphs = std::move(work.graphs);
  trace.shapes = std::move(work.shapes);
  for (const NsysWork::QueueKey& key : work.queues) {
    trace.queues.push_back({.process = key.process == 0 ? kNone : ids.process(key.process),
                            .device = key.device,
                            .context = key.context,
                            .stream = key.stream});
  }
  for (const NsysWork::FunctionKey& key : work.functions) {
    const std::uint32_t name = function_text(key.name, strings, trace);
    const auto short_text =
        key.short_name == key.name ? std::nullopt : strings.find(key.short_name);
    trace.functions.push_back(
        {.name = name, .short_name = short_text ? intern_text(*short_text, trace) : name});
  }
  trace.diagnostics.merge(work.diagnostics);
}

}  // namespace assay::trace
