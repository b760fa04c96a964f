#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/interner.hpp"
#include "trace/events/nsys_sqlite.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/range_name.hpp"
#include "trace/events/sqlite.hpp"

namespace assay::trace {
namespace {

// ENUM_NSYS_EVENT_TYPE, which old exports do not carry.
constexpr std::int64_t kMark = 34;
constexpr std::int64_t kPushPop = 59;
constexpr std::int64_t kStartEnd = 60;
constexpr std::int64_t kTextPushPop = 70;
constexpr std::int64_t kTextStartEnd = 71;
constexpr std::int64_t kDomainCreate = 75;
// Categories, names of threads and CUDA objects, the end of a domain: nothing that takes time.
constexpr std::array<std::int64_t, 6> kTimeless = {33, 39, 76, 97, 98, 99};

constexpr std::array<std::string_view, 8> kRangeColumns = {
    "start", "end", "eventType", "text", "textId", "globalTid", "endGlobalTid", "domainId"};
constexpr int kStart = 0;
constexpr int kEnd = 1;
constexpr int kEventType = 2;
constexpr int kText = 3;
constexpr int kTextId = 4;
constexpr int kGlobalTid = 5;
constexpr int kEndGlobalTid = 6;
constexpr int kDomainId = 7;

struct DomainKey {
  std::uint64_t process = 0;
  std::int64_t domain = 0;
  friend bool operator==(const DomainKey&, const DomainKey&) = default;
};
struct DomainHash {
  std::size_t operator()(const DomainKey& key) const { return hash_of(key.process, key.domain); }
};

std::uint64_t process_of(std::int64_t global_tid) {
  return static_cast<std::uint64_t>(global_tid) >> kTidBits;
}

bool is_push_pop(std::int64_t type) {
  return type == kPushPop || type == kTextPushPop;
}
bool is_start_end(std::int64_t type) {
  return type == kStartEnd || type == kTextStartEnd;
}

class RangeReader {
 public:
  RangeReader(const NsysStrings& strings, const NsysOptions& options, Trace& trace)
      : strings_(strings), options_(options), trace_(trace) {}

  void add(const SqliteRows& row) {
    const std::int64_t type = row.integer(kEventType);
    if (is_push_pop(type) || is_start_end(type)) {
      add_range(row, is_push_pop(type) ? RangeStyle::push_pop : RangeStyle::start_end);
    } else if (type == kMark) {
      ++trace_.marks;
    } else if (type == kDomainCreate) {
      ++trace_.domains;
      const auto name = text_of(row);
      domains_[{process_of(row.integer(kGlobalTid)), row.integer(kDomainId)}] =
          name ? intern_text(*name, trace_) : 0;
    } else if (std::ranges::find(kTimeless, type) == kTimeless.end()) {
      trace_.diagnostics.add("nvtx_type_unknown", "rows of NVTX_EVENTS of a type not known here");
    }
  }

  /// Domains are named by rows of their own, which may come after the ranges in them.
  void finish() {
    Ranges& ranges = trace_.ranges;
    for (std::size_t row = 0; row < ranges.size(); ++row) {
      const DomainKey& key = keys_.keys()[ranges.domain[row]];
      const auto named = domains_.find(key);
      ranges.domain[row] = named != domains_.end() ? named->second : unnamed(key.domain);
      if (trace_.strings.view(ranges.domain[row]).empty()) continue;
      if (is_automatic_range("", trace_.strings.view(ranges.domain[row]))) {
        ranges.flags[row] |= range_automatic;
      }
    }
  }

 private:
  std::uint32_t unnamed(std::int64_t domain) {
    return domain == 0 ? 0 : trace_.strings.intern("domain " + std::to_string(domain));
  }

  /// A name is in `text`, or registered and in `textId`; one file has both.
  [[nodiscard]] std::optional<std::string_view> text_of(const SqliteRows& row) const {
    if (!row.is_null(kText)) return row.bytes(kText);
    if (row.is_null(kTextId)) return std::nullopt;
    return strings_.find(row.integer(kTextId));
  }

  void add_range(const SqliteRows& row, RangeStyle style) {
    const bool open = row.is_null(kEnd);
    if (!open && !has_times(row, "ranges", trace_.diagnostics)) return;
    if (open && !has_start(row)) return;
    const auto name = text_of(row);
    if (!name) trace_.diagnostics.add("range_name_missing", "shown as (unnamed)");
    const std::string_view recorded = name.value_or("(unnamed)");
    std::uint8_t flags = open ? range_open : 0;
    if (is_automatic_range(recorded, "")) flags |= range_automatic;
    if (!row.is_null(kEndGlobalTid) && row.integer(kEndGlobalTid) != row.integer(kGlobalTid)) {
      flags |= range_cross_thread;
    }
    Ranges& ranges = trace_.ranges;
    ranges.start.push_back(row.integer(kStart));
    ranges.end.push_back(open ? row.integer(kStart) : row.integer(kEnd));
    ranges.name.push_back(
        intern_text(options_.raw_range_names ? recorded : canonical_range_name(recorded), trace_));
    ranges.thread.push_back(threads_(row.integer(kGlobalTid)));
    ranges.domain.push_back(
        keys_({.process = process_of(row.integer(kGlobalTid)), .domain = row.integer(kDomainId)}));
    ranges.style.push_back(style);
    ranges.flags.push_back(flags);
  }

  bool has_start(const SqliteRows& row) {
    if (row.is_integer(kStart) && row.integer(kStart) > -kLatestTime &&
        row.integer(kStart) < kLatestTime) {
      return true;
    }
    trace_.diagnostics.add("ranges_malformed", "rows without a usable start, left out");
    return false;
  }

 public:
  struct IdHash {
    std::size_t operator()(std::int64_t id) const { return hash_of(id); }
  };
  [[nodiscard]] const std::vector<std::int64_t>& thread_ids() const { return threads_.keys(); }

 private:
  const NsysStrings& strings_;
  const NsysOptions& options_;
  Trace& trace_;
  Interner<std::int64_t, IdHash> threads_;
  Interner<DomainKey, DomainHash> keys_;
  std::unordered_map<DomainKey, std::uint32_t, DomainHash> domains_;
};

}  // namespace

Result<void> read_ranges(SqliteDatabase& database, const NsysSchema& schema,
                         const NsysStrings& strings, const NsysOptions& options, NsysIds& ids,
                         Trace& trace) {
  const auto* existing = schema.columns_of("NVTX_EVENTS");
  if (existing == nullptr) {
    trace.diagnostics.add("no_nvtx_table", "the profile holds no NVTX ranges");
    return {};
  }
  RangeReader reader(strings, options, trace);
  ASSAY_TRY(SqliteRows rows, database.select("NVTX_EVENTS", kRangeColumns, *existing));
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) break;
    reader.add(rows);
  }
  reader.finish();
  std::vector<std::uint32_t> thread_of;
  for (const std::int64_t id : reader.thread_ids()) thread_of.push_back(ids.thread(id));
  for (std::uint32_t& thread : trace.ranges.thread) thread = thread_of[thread];
  return {};
}

}  // namespace assay::trace
