#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
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
using Functions = Interner<NsysWork::FunctionKey, FunctionHash>;
using Shapes = Interner<Shape, ShapeHash>;

constexpr std::string_view kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";

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

/// Reads rows whose first columns are the common ones, calling `own` for those after them.
template <class Own>
Result<void> read_rows(SqliteRows rows, std::string_view what, std::size_t bound, Work& work,
                       Queues& queues, Diagnostics& diagnostics, Own own) {
  work.start.reserve(bound);
  work.end.reserve(bound);
  work.call.reserve(bound);
  work.queue.reserve(bound);
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

/// Reads the table if it exists.
template <class Own>
Result<void> read_table(SqliteDatabase& database, const NsysSchema& schema, std::string_view table,
                        std::string_view what, std::span<const std::string_view> columns,
                        Work& work, Queues& queues, Diagnostics& diagnostics, Own own) {
  const auto* existing = schema.columns_of(table);
  if (existing == nullptr) return {};
  ASSAY_TRY(SqliteRows rows, database.select(table, columns, *existing));
  return read_rows(std::move(rows), what, database.row_bound(table), work, queues, diagnostics,
                   own);
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
  return trace.strings.intern(kUnnamed);
}

/// Where each key of one part stands among those of all parts.
template <class Keys>
std::vector<std::uint32_t> places_of(const std::vector<typename Keys::Key>& part, Keys& all) {
  std::vector<std::uint32_t> places;
  places.reserve(part.size());
  for (const auto& key : part) places.push_back(all(key));
  return places;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from,
            const std::vector<std::uint32_t>& places) {
  for (const std::uint32_t id : from) to.push_back(places[id]);
}

void append_work(Work& to, const Work& from, const std::vector<std::uint32_t>& queues) {
  append(to.start, from.start);
  append(to.end, from.end);
  append(to.call, from.call);
  append(to.queue, from.queue, queues);
}

void append_graph_nodes(Kernels& to, std::size_t before, const Kernels& from) {
  if (from.graph_node.empty() && to.graph_node.empty()) return;
  to.graph_node.resize(before);
  append(to.graph_node, from.graph_node);
  to.graph_node.resize(to.size());
}

/// A column of that name, in any case, takes the place of SQLite's own.
bool hides_row_ids(const std::vector<std::string>& columns) {
  return std::ranges::any_of(columns, [](const std::string& column) {
    constexpr std::string_view kRowId = "rowid";
    return std::ranges::equal(column, kRowId, [](char a, char b) { return (a | 0x20) == b; });
  });
}

void reserve_kernels(const std::vector<NsysWork>& parts, Kernels& kernels) {
  std::size_t rows = 0;
  for (const NsysWork& part : parts) rows += part.kernels.size();
  kernels.start.reserve(rows);
  kernels.end.reserve(rows);
  kernels.call.reserve(rows);
  kernels.queue.reserve(rows);
  kernels.function.reserve(rows);
  kernels.shape.reserve(rows);
}

}  // namespace

std::vector<NsysKernelRows> kernel_parts(SqliteDatabase& database, const NsysSchema& schema) {
  constexpr std::size_t kParts = 6;  // so that threads which read other tables too end together
  constexpr std::size_t kWorthParting = 100'000;
  if (!schema.has(kKernelTable)) return {};
  const std::size_t rows = database.row_bound(kKernelTable);
  if (rows < kWorthParting || hides_row_ids(*schema.columns_of(kKernelTable))) {
    return {{.bound = rows}};
  }
  std::vector<NsysKernelRows> parts(kParts, {.ids = RowIds(), .bound = rows / kParts + 1});
  for (std::size_t i = 1; i < kParts; ++i) {
    const auto border = static_cast<std::int64_t>(rows / kParts * i);
    parts[i - 1].ids->last = border;
    parts[i].ids->first = border + 1;
  }
  return parts;
}

Result<NsysWork> read_kernels(SqliteDatabase& database, const NsysSchema& schema,
                              const NsysKernelRows& part) {
  constexpr std::array<std::string_view, 16> kColumns = {
      ASSAY_WORK_COLUMNS, "demangledName", "shortName", "gridX",      "gridY", "gridZ",
      "blockX",           "blockY",        "blockZ",    "graphNodeId"};
  NsysWork work;
  Queues queues;
  Functions functions;
  Shapes shapes;
  Kernels& kernels = work.kernels;
  kernels.function.reserve(part.bound);
  kernels.shape.reserve(part.bound);
  const auto read_own = [&](const SqliteRows& row) {
    const int c = kFirstOwnColumn;
    // A table may have been cut down to either of the two.
    const std::int64_t name = id_of(row, c, id_of(row, c + 1, kNoString));
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
  ASSAY_TRY(SqliteRows rows,
            database.select(kKernelTable, kColumns, *schema.columns_of(kKernelTable), part.ids));
  auto done = read_rows(std::move(rows), "kernels", part.bound, kernels, queues, work.diagnostics,
                        read_own);
  if (!done) return std::unexpected(std::move(done).error());
  work.queues = queues.keys();
  work.functions = functions.keys();
  work.shapes = shapes.keys();
  return work;
}

Result<NsysWork> read_other_work(SqliteDatabase& database, const NsysSchema& schema) {
  NsysWork work;
  Queues queues;
  for (const auto read : {&read_memory, &read_graphs}) {
    if (auto done = read(database, schema, queues, work); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  work.queues = queues.keys();
  return work;
}

void merge_work(std::vector<NsysWork> parts, const NsysStrings& strings, NsysIds& ids,
                Trace& trace) {
  Queues queues;
  Functions functions;
  Shapes shapes;
  reserve_kernels(parts, trace.kernels);
  for (NsysWork& part : parts) {
    const NsysWork work = std::exchange(part, {});  // each part's memory goes as it is merged
    const auto queue_places = places_of(work.queues, queues);
    const std::size_t before = trace.kernels.size();
    append_work(trace.kernels, work.kernels, queue_places);
    append(trace.kernels.function, work.kernels.function, places_of(work.functions, functions));
    append(trace.kernels.shape, work.kernels.shape, places_of(work.shapes, shapes));
    append_graph_nodes(trace.kernels, before, work.kernels);
    append_work(trace.copies, work.copies, queue_places);
    append(trace.copies.bytes, work.copies.bytes);
    append(trace.copies.kind, work.copies.kind);
    append_work(trace.fills, work.fills, queue_places);
    append(trace.fills.bytes, work.fills.bytes);
    append_work(trace.graphs, work.graphs, queue_places);
    append(trace.graphs.graph, work.graphs.graph);
    append(trace.graphs.executable, work.graphs.executable);
    trace.diagnostics.merge(work.diagnostics);
  }
  trace.shapes = shapes.keys();
  for (const NsysWork::QueueKey& key : queues.keys()) {
    trace.queues.push_back({.process = key.process == 0 ? kNone : ids.process(key.process),
                            .device = key.device,
                            .context = key.context,
                            .stream = key.stream});
  }
  for (const NsysWork::FunctionKey& key : functions.keys()) {
    const std::uint32_t name = function_text(key.name, strings, trace);
    const auto short_text =
        key.short_name == key.name ? std::nullopt : strings.find(key.short_name);
    trace.functions.push_back(
        {.name = name, .short_name = short_text ? intern_text(*short_text, trace) : name});
  }
}

}  // namespace assay::trace
