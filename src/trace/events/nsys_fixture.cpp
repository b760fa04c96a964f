#include "trace/events/nsys_fixture.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <sqlite3.h>

#include "model/kernel_name.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"

namespace assay::trace {
namespace {

std::string text(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + '\'';
}

std::uint64_t global_pid(std::uint64_t pid) {
  return (std::uint64_t{1} << 48U) | (pid << 24U);
}
std::uint64_t global_tid(std::uint64_t pid, std::uint64_t tid) {
  return global_pid(pid) | tid;
}

constexpr std::string_view kWorkColumns =
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER "
    "NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER";

}  // namespace

NsysFixture::NsysFixture(NsysRelease release) : release_(release) {
  if (sqlite3_open(":memory:", &database_) != SQLITE_OK) std::abort();
  sql("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  const bool old = release < NsysRelease::v3_13;
  const std::string meta = old ? "EXPORT_META_DATA" : "META_DATA_EXPORT";
  constexpr const char* kSchemas[] = {"2.9.1", "3.0.0", "3.13.2", "3.17.2", "3.25.0"};
  sql("CREATE TABLE " + meta + " (name TEXT, value TEXT)");
  sql(
      fmt::format("INSERT INTO {} VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), "
                  "('EXPORT_PRODUCT_VERSION', '2099.1'), ('EXPORT_SCHEMA_VERSION', '{}')",
                  meta, kSchemas[static_cast<std::size_t>(release)]));
}

NsysFixture::~NsysFixture() {
  sqlite3_close(database_);
}

NsysFixture& NsysFixture::sql(const std::string& statement) {
  char* message = nullptr;
  if (sqlite3_exec(database_, statement.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    fmt::print(stderr, "fixture: {}: {}\n", statement, message);
    std::abort();
  }
  return *this;
}

void NsysFixture::create(std::string_view table, const std::string& columns) {
  // Lazily, as nsys does: a table without rows is not in an export.
  if (tables_.emplace(table, true).second) {
    sql(fmt::format("CREATE TABLE {} ({})", table, columns));
  }
}

std::int64_t NsysFixture::string_id(std::string_view value) {
  const auto found = strings_.find(value);
  if (found != strings_.end()) return found->second;
  const auto id = static_cast<std::int64_t>(strings_.size());
  strings_.emplace(value, id);
  sql(fmt::format("INSERT INTO StringIds VALUES ({}, {})", id, text(value)));
  return id;
}

NsysFixture& NsysFixture::kernel(const FixtureKernel& kernel) {
  std::string columns = std::string(kWorkColumns) +
                        ", demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY "
                        "INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, "
                        "graphNodeId INTEGER";
  if (release_ >= NsysRelease::v3_13) columns += ", greenContextId INTEGER";
  if (release_ >= NsysRelease::v3_25) columns += ", graphId INTEGER, clusterX INTEGER";
  create("CUPTI_ACTIVITY_KIND_KERNEL", columns);
  const std::string short_name =
      kernel.short_name.empty() ? std::string(short_kernel_name(kernel.name)) : kernel.short_name;
  const auto& [grid, block] = kernel.shape;
  return sql(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, "
      "blockZ, graphNodeId) VALUES ({}, {}, {}, 1, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})",
      kernel.start, kernel.end, kernel.device, kernel.stream, kernel.correlation,
      global_pid(kernel.pid), string_id(kernel.name), string_id(short_name), grid[0], grid[1],
      grid[2], block[0], block[1], block[2],
      kernel.graph_node == 0 ? "NULL" : std::to_string(kernel.graph_node)));
}

NsysFixture& NsysFixture::call(const FixtureCall& call) {
  create("CUPTI_ACTIVITY_KIND_RUNTIME",
         "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid "
         "INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER");
  return sql(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, {}, {}, {}, {}, 0)",
                  call.start, call.end, call.event_class, global_tid(call.pid, call.tid),
                  call.correlation, string_id(call.name)));
}

NsysFixture& NsysFixture::launch(const FixtureLaunch& launch) {
  const std::uint32_t correlation = next_correlation_++;
  call({.start = launch.call_start,
        .end = launch.call_end,
        .correlation = correlation,
        .pid = launch.pid,
        .tid = launch.tid});
  return kernel({.start = launch.start,
                 .end = launch.end,
                 .name = launch.name,
                 .correlation = correlation,
                 .device = launch.device,
                 .stream = launch.stream,
                 .pid = launch.pid,
                 .shape = launch.shape});
}

NsysFixture& NsysFixture::copy(const FixtureCopy& copy) {
  std::string columns = std::string(kWorkColumns) + ", bytes INTEGER, copyKind INTEGER";
  if (release_ >= NsysRelease::v3_17) columns += ", copyCount INTEGER";
  create("CUPTI_ACTIVITY_KIND_MEMCPY", columns);
  return sql(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
      "correlationId, globalPid, bytes, copyKind) VALUES ({}, {}, {}, 1, {}, {}, {}, {}, {})",
      copy.start, copy.end, copy.device, copy.stream, copy.correlation, global_pid(copy.pid),
      copy.bytes, copy.kind));
}

NsysFixture& NsysFixture::fill(const FixtureCopy& fill) {
  create("CUPTI_ACTIVITY_KIND_MEMSET",
         std::string(kWorkColumns) + ", value INTEGER, bytes INTEGER");
  return sql(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES ({}, {}, {}, 1, {}, {}, {}, "
                  "0, {})",
                  fill.start, fill.end, fill.device, fill.stream, fill.correlation,
                  global_pid(fill.pid), fill.bytes));
}

NsysFixture& NsysFixture::graph(std::int64_t start, std::int64_t end, std::uint64_t graph_id,
                                std::uint32_t correlation) {
  create("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
         std::string(kWorkColumns) + ", graphId INTEGER, graphExecId INTEGER");
  return sql(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ({}, {}, 0, 1, 7, {}, "
                  "{}, {}, {})",
                  start, end, correlation, global_pid(100), graph_id, graph_id + 1));
}

NsysFixture& NsysFixture::range(const FixtureRange& range) {
  create("NVTX_EVENTS",
         "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, text "
         "TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER");
  const std::string end = range.end ? std::to_string(*range.end) : "NULL";
  const std::string end_tid =
      range.end_tid ? std::to_string(global_tid(range.pid, *range.end_tid)) : "NULL";
  return sql(fmt::format(
      "INSERT INTO NVTX_EVENTS VALUES ({}, {}, {}, NULL, {}, {}, {}, {}, {})", range.start, end,
      range.type, range.registered ? "NULL" : text(range.name), global_tid(range.pid, range.tid),
      end_tid, range.registered ? std::to_string(string_id(range.name)) : "NULL", range.domain));
}

NsysFixture& NsysFixture::domain(std::int64_t id, std::string_view name, std::uint64_t pid) {
  return range({.start = 0, .name = std::string(name), .pid = pid, .domain = id, .type = 75});
}

NsysFixture& NsysFixture::gpu(std::int64_t id, std::string_view name) {
  create("TARGET_INFO_GPU", "id INTEGER, name TEXT, cuDevice INTEGER, smCount INTEGER");
  return sql(
      fmt::format("INSERT INTO TARGET_INFO_GPU VALUES ({}, {}, {}, 132)", id, text(name), id));
}

NsysFixture& NsysFixture::command(const std::vector<std::string>& argv) {
  create("META_DATA_CAPTURE", "name TEXT, value TEXT");
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const std::string name =
        i == 0 ? "PROCESS_0:COMMAND" : fmt::format("PROCESS_0:ARGUMENT_{}", i - 1);
    sql(fmt::format("INSERT INTO META_DATA_CAPTURE VALUES ('{}', {})", name, text(argv[i])));
  }
  return *this;
}

std::vector<std::byte> NsysFixture::image() const {
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(database_, "main", &size, 0);
  if (bytes == nullptr) std::abort();
  const auto* begin = reinterpret_cast<const std::byte*>(bytes);
  std::vector<std::byte> out(begin, begin + size);
  sqlite3_free(bytes);
  return out;
}

void NsysFixture::write(const std::filesystem::path& path) const {
  const std::vector<std::byte> bytes = image();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file) std::abort();
}

Trace read_fixture(const NsysFixture& fixture) {
  return read_nsys_sqlite(fixture.image()).value();
}

}  // namespace assay::trace
