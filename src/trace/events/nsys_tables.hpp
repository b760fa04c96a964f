#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "trace/diagnostics.hpp"
#include "trace/events/assemble.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {

// The parts of the Nsight Systems reader. Private to nsys_*.cpp.

/// globalTid = hardware (8 bits) | virtual machine (8) | pid (24) | tid (24).
inline constexpr unsigned kTidBits = 24;
inline constexpr std::uint64_t kTidMask = (std::uint64_t{1} << kTidBits) - 1;

/// The tables of a database that exist, with their columns.
class NsysSchema {
 public:
  [[nodiscard]] static Result<NsysSchema> read(SqliteDatabase& database);

  [[nodiscard]] bool has(std::string_view table) const { return columns_of(table) != nullptr; }
  [[nodiscard]] bool has(std::string_view table, std::string_view column) const;
  /// Null where the table does not exist.
  [[nodiscard]] const std::vector<std::string>* columns_of(std::string_view table) const;

 private:
  std::unordered_map<std::string, std::vector<std::string>> tables_;
};

/// Calls `use` on each row of the table, if the table exists.
template <class Use>
Result<void> for_each_row(SqliteDatabase& database, const NsysSchema& schema,
                          std::string_view table, std::span<const std::string_view> columns,
                          Use use) {
  const auto* existing = schema.columns_of(table);
  if (existing == nullptr) return {};
  ASSAY_TRY(SqliteRows rows, database.select(table, columns, *existing));
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) return {};
    use(rows);
  }
}

/// The StringIds table: raw bytes, looked up by id.
class NsysStrings {
 public:
  [[nodiscard]] static Result<NsysStrings> read(SqliteDatabase& database, const NsysSchema& schema);
  [[nodiscard]] std::optional<std::string_view> find(std::int64_t id) const;

 private:
  std::string bytes_;                                                   // all texts, end to end
  std::unordered_map<std::int64_t, std::array<std::size_t, 2>> spans_;  // offset and length
};

/// Text of a profile as the trace keeps it: well-formed UTF-8. Text that was not is counted.
[[nodiscard]] std::uint32_t intern_text(std::string_view bytes, Trace& trace);

/// Whether the row's first two columns, start and end, are usable; counts it under `what` if not.
[[nodiscard]] bool has_times(const SqliteRows& row, std::string_view what,
                             Diagnostics& diagnostics);

/// Rows of trace.processes and trace.threads by the export's ids, added where they are new.
class NsysIds {
 public:
  explicit NsysIds(Trace& trace) : trace_(trace) {}
  /// `key` is a global id without its tid bits.
  [[nodiscard]] std::uint32_t process(std::uint64_t key);
  [[nodiscard]] std::uint32_t thread(std::int64_t global_tid);

 private:
  Trace& trace_;
  std::unordered_map<std::uint64_t, std::uint32_t> processes_;
  std::unordered_map<std::uint64_t, std::uint32_t> threads_;
};

/// What GPUs executed, or a part of it. It names processes by key and functions by string id, so
/// that it can be read on a thread of its own; merge_work resolves them.
struct NsysWork {
  Kernels kernels;
  Copies copies;
  Fills fills;
  GraphRuns graphs;
  struct QueueKey {
    std::uint64_t process = 0;  // 0: the table does not say
    std::int64_t device = 0;
    std::int64_t context = 0;
    std::int64_t stream = 0;
    friend bool operator==(const QueueKey&, const QueueKey&) = default;
  };
  struct FunctionKey {
    std::int64_t name = 0;
    std::int64_t short_name = 0;
    friend bool operator==(const FunctionKey&, const FunctionKey&) = default;
  };
  std::vector<QueueKey> queues;
  std::vector<FunctionKey> functions;
  std::vector<Shape> shapes;
  Diagnostics diagnostics;
};

struct NsysKernelRows {
  std::optional<RowIds> ids;  // absent: all
  std::size_t bound = 0;      // never less than there are
};

/// The table of kernels in parts that can be read apart. It is one part if it is small, or if its
/// rows have no numbers of their own.
[[nodiscard]] std::vector<NsysKernelRows> kernel_parts(SqliteDatabase& database,
                                                       const NsysSchema& schema);
[[nodiscard]] Result<NsysWork> read_kernels(SqliteDatabase& database, const NsysSchema& schema,
                                            const NsysKernelRows& part);
/// Copies, fills and graphs.
[[nodiscard]] Result<NsysWork> read_other_work(SqliteDatabase& database, const NsysSchema& schema);
/// Adds the parts in their order.
void merge_work(std::vector<NsysWork> parts, const NsysStrings& strings, NsysIds& ids,
                Trace& trace);

/// API calls, into `out.trace.calls` and `out.call_correlation`.
[[nodiscard]] Result<void> read_calls(SqliteDatabase& database, const NsysSchema& schema,
                                      const NsysStrings& strings, NsysIds& ids, Assembly& out);
[[nodiscard]] Result<void> read_ranges(SqliteDatabase& database, const NsysSchema& schema,
                                       const NsysStrings& strings, const NsysOptions& options,
                                       NsysIds& ids, Trace& trace);
[[nodiscard]] Result<void> read_capture(SqliteDatabase& database, const NsysSchema& schema,
                                        Trace& trace);
/// Gives the GPUs of all queues numbers of the machine, if processes number them differently: each
/// rank that sees one GPU calls it 0. Comes after all else is read.
[[nodiscard]] Result<void> number_gpus(SqliteDatabase& database, const NsysSchema& schema,
                                       Trace& trace);

}  // namespace assay::trace
