#include "trace/events/nsys_tables.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "trace/diagnostics.hpp"
#include "trace/events/events.hpp"
#include "trace/events/sqlite.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {

Result<NsysSchema> NsysSchema::read(SqliteDatabase& database) {
  NsysSchema schema;
  ASSAY_TRY(const std::vector<std::string> names, database.tables());
  for (const std::string& name : names) {
    ASSAY_TRY(std::vector<std::string> columns, database.columns(name));
    schema.tables_.emplace(name, std::move(columns));
  }
  return schema;
}

const std::vector<std::string>* NsysSchema::columns_of(std::string_view table) const {
  const auto found = tables_.find(std::string(table));
  return found == tables_.end() ? nullptr : &found->second;
}

bool NsysSchema::has(std::string_view table, std::string_view column) const {
  const auto* columns = columns_of(table);
  return columns != nullptr && std::ranges::find(*columns, column) != columns->end();
}

Result<NsysStrings> NsysStrings::read(SqliteDatabase& database, const NsysSchema& schema) {
  NsysStrings strings;
  const auto* existing = schema.columns_of("StringIds");
  if (existing == nullptr) return strings;
  constexpr std::array<std::string_view, 2> kColumns = {"id", "value"};
  ASSAY_TRY(SqliteRows rows, database.select("StringIds", kColumns, *existing));
  while (true) {
    ASSAY_TRY(const bool more, rows.next());
    if (!more) return strings;
    const std::string_view value = rows.bytes(1);
    strings.spans_.emplace(rows.integer(0), std::array{strings.bytes_.size(), value.size()});
    strings.bytes_ += value;
  }
}

std::optional<std::string_view> NsysStrings::find(std::int64_t id) const {
  const auto found = spans_.find(id);
  if (found == spans_.end()) return std::nullopt;
  return std::string_view(bytes_).substr(found->second[0], found->second[1]);
}

std::uint32_t intern_text(std::string_view bytes, Trace& trace) {
  const std::string valid = to_valid_utf8(bytes);
  if (valid != bytes) {
    trace.diagnostics.add("text_not_utf8", "bytes that are no text are shown as U+FFFD");
  }
  return trace.strings.intern(valid);
}

bool has_times(const SqliteRows& row, std::string_view what, Diagnostics& diagnostics) {
  const std::int64_t start = row.integer(0);
  const std::int64_t end = row.integer(1);
  // Both conversions give 0 for NULL and for text, so only a zero needs its type looked at.
  const bool typed = (start != 0 || row.is_integer(0)) && (end != 0 || row.is_integer(1));
  const bool in_bounds = start > -kLatestTime && end < kLatestTime;
  if (typed && in_bounds && start <= end && end - start < kLongestTime) return true;
  diagnostics.add(fmt::format("{}_malformed", what),
                  "rows whose start or end is missing, absurd or the wrong way round, left out");
  return false;
}

std::uint32_t NsysIds::process(std::uint64_t key) {
  const auto [found, added] =
      processes_.try_emplace(key, static_cast<std::uint32_t>(trace_.processes.size()));
  if (added) {
    trace_.processes.push_back({.key = key, .pid = static_cast<std::uint32_t>(key & kTidMask)});
  }
  return found->second;
}

std::uint32_t NsysIds::thread(std::int64_t global_tid) {
  const auto id = static_cast<std::uint64_t>(global_tid);
  const auto [found, added] =
      threads_.try_emplace(id, static_cast<std::uint32_t>(trace_.threads.size()));
  if (added) {
    trace_.threads.push_back({.process = process(id >> kTidBits), .tid = id & kTidMask});
  }
  return found->second;
}

}  // namespace assay::trace
