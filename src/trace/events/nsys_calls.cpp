#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

// Column eventClass. With --cudabacktrace an export repeats each call as class 67.
constexpr std::int64_t kRuntimeClass = 0;
constexpr std::int64_t kDriverClass = 1;

struct IdHash {
  std::size_t operator()(std::int64_t id) const { return hash_of(id); }
};

/// "cudaLaunchKernel_v7000" without its version, as `nsys stats` prints it: four digits exactly.
std::string_view without_version(std::string_view name) {
  constexpr std::size_t kLength = 6;
  if (name.size() <= kLength) return name;
  const std::string_view tail = name.substr(name.size() - kLength);
  if (!tail.starts_with("_v")) return name;
  for (const char c : tail.substr(2)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return name;
  }
  return name.substr(0, name.size() - kLength);
}

std::uint32_t call_name(std::int64_t id, const NsysStrings& strings, Trace& trace) {
  if (const auto text = strings.find(id)) return intern_text(without_version(*text), trace);
  trace.diagnostics.add("api_name_missing", "names that StringIds does not hold");
  return trace.strings.intern("(unnamed)");
}

void note_repeated(std::uint64_t count, Trace& trace) {
  if (count == 0) return;
  trace.diagnostics.add("api_rows_repeated",
                        "rows of another event class (67 repeats a call for its backtrace), left "
                        "out of sums",
                        count);
}

}  // namespace

Result<void> read_calls(SqliteDatabase& database, const NsysSchema& schema,
                        const NsysStrings& strings, NsysIds& ids, Assembly& out) {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
  constexpr std::array<std::string_view, 6> kColumns = {"start",         "end",    "globalTid",
                                                        "correlationId", "nameId", "eventClass"};
  const auto* existing = schema.columns_of(kTable);
  Trace& trace = out.trace;
  if (existing == nullptr) {
    trace.diagnostics.add("no_api_table", "the profile holds no CUDA API calls");
    return {};
  }
  const bool classed = schema.has(kTable, "eventClass");
  const std::size_t bound = database.row_bound(kTable);
  Calls& calls = trace.calls;
  for (auto* column : {&calls.start, &calls.end}) column->reserve(bound);
  for (auto* column : {&calls.thread, &calls.name, &out.call_correlation}) column->reserve(bound);
  Interner<std::int64_t, IdHash> names;
  Interner<std::int64_t, IdHash> threads;
  std::uint64_t repeated = 0;

  ASSAY_TRY(SqliteRows rows, database.select(kTable, kColumns, *existing));
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) break;
    if (classed && rows.integer(5) != kRuntimeClass && rows.integer(5) != kDriverClass) {
      ++repeated;
      continue;
    }
    if (!has_times(rows, "api_calls", trace.diagnostics)) continue;
    const std::int64_t correlation = rows.integer(3);
    calls.start.push_back(rows.integer(0));
    calls.end.push_back(rows.integer(1));
    calls.thread.push_back(threads(rows.integer(2)));
    calls.name.push_back(names(rows.integer(4)));
    out.call_correlation.push_back(
        std::in_range<std::uint32_t>(correlation) ? static_cast<std::uint32_t>(correlation) : 0);
  }
  note_repeated(repeated, trace);
  std::vector<std::uint32_t> name_of;
  for (const std::int64_t id : names.keys()) name_of.push_back(call_name(id, strings, trace));
  std::vector<std::uint32_t> thread_of;
  for (const std::int64_t id : threads.keys()) thread_of.push_back(ids.thread(id));
  for (std::uint32_t& name : calls.name) name = name_of[name];
  for (std::uint32_t& thread : calls.thread) thread = thread_of[thread];
  return {};
}

}  // namespace assay::trace
