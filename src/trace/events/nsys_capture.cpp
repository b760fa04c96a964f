#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_tables.hpp"
#include "trace/events/sqlite.hpp"
#include "trace/utf8.hpp"

namespace assay::trace {
namespace {

constexpr std::array<std::string_view, 2> kNameValue = {"name", "value"};

void read_export_row(const SqliteRows& row, Capture& capture) {
  const std::string_view name = row.bytes(0);
  const std::string value = to_one_line(row.bytes(1));
  if (name == "EXPORT_PRODUCT_NAME") capture.product = value + capture.product;
  if (name == "EXPORT_PRODUCT_VERSION") capture.product += " " + value;
  if (name == "EXPORT_SCHEMA_VERSION") capture.schema = value;
  if (name == "EXPORT_PARAM_INPUT_PATH_ABS" || name == "EXPORT_PARAM_INPUT_PATH") {
    capture.source = value;
  }
}

/// The command of the first process: PROCESS_0:COMMAND and PROCESS_0:ARGUMENT_n.
struct CommandParts {
  std::string program;
  std::map<std::uint32_t, std::string> arguments;

  void add(std::string_view name, std::string_view value) {
    constexpr std::string_view kArgument = "PROCESS_0:ARGUMENT_";
    if (name == "PROCESS_0:COMMAND") program = to_one_line(value);
    if (!name.starts_with(kArgument)) return;
    name.remove_prefix(kArgument.size());
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error == std::errc{} && end == name.data() + name.size()) {
      arguments[index] = to_one_line(value);
    }
  }

  [[nodiscard]] std::vector<std::string> argv() const {
    if (program.empty()) return {};
    std::vector<std::string> out = {program};
    for (const auto& [index, argument] : arguments) out.push_back(argument);
    return out;
  }
};

Result<void> read_meta(SqliteDatabase& database, const NsysSchema& schema, Trace& trace) {
  // The table's name changed; no file has both.
  for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    auto done = for_each_row(database, schema, table, kNameValue,
                             [&](const SqliteRows& row) { read_export_row(row, trace.capture); });
    if (!done) return done;
  }
  CommandParts command;
  auto done =
      for_each_row(database, schema, "META_DATA_CAPTURE", kNameValue, [&](const SqliteRows& row) {
        command.add(row.bytes(0), row.bytes(1));
        if (row.bytes(0) == "CUDA_GRAPH_TRACE_OPTIONS:MODE") {
          trace.capture.graph_mode = to_one_line(row.bytes(1));
        }
      });
  trace.capture.command = command.argv();
  return done;
}

Result<void> read_gpus(SqliteDatabase& database, const NsysSchema& schema, Trace& trace) {
  constexpr std::array<std::string_view, 7> kColumns = {
      "id", "name", "smCount", "totalMemory", "memoryBandwidth", "clockRate", "cuDevice"};
  const auto value = [](const SqliteRows& row, int column) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(column), 0));
  };
  return for_each_row(database, schema, "TARGET_INFO_GPU", kColumns, [&](const SqliteRows& row) {
    // Kernels carry CUDA's number for the device, which differs from `id` on some machines.
    const int id = row.is_integer(6) ? 6 : 0;
    trace.capture.gpus.push_back({.id = row.integer(id),
                                  .name = to_one_line(row.bytes(1)),
                                  .multiprocessors = value(row, 2),
                                  .memory_bytes = value(row, 3),
                                  .memory_bandwidth = value(row, 4),
                                  .clock_hz = value(row, 5)});
  });
}

/// Lines of a text joined by blanks.
std::string one_paragraph(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

Result<void> read_warnings(SqliteDatabase& database, const NsysSchema& schema, Trace& trace) {
  constexpr std::array<std::string_view, 2> kColumns = {"severity", "text"};
  constexpr std::int64_t kWarning = 2;
  return for_each_row(database, schema, "DIAGNOSTIC_EVENT", kColumns, [&](const SqliteRows& row) {
    if (row.integer(0) < kWarning) return;
    std::string text = to_one_line(one_paragraph(row.bytes(1)));
    auto& warnings = trace.capture.warnings;
    if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
  });
}

Result<void> read_start(SqliteDatabase& database, const NsysSchema& schema, Trace& trace) {
  constexpr std::array<std::string_view, 1> kColumns = {"utcEpochNs"};
  return for_each_row(database, schema, "TARGET_INFO_SESSION_START_TIME", kColumns,
                      [&](const SqliteRows& row) {
                        trace.capture.start_epoch_ns =
                            static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(0), 0));
                      });
}

}  // namespace

Result<void> read_capture(SqliteDatabase& database, const NsysSchema& schema, Trace& trace) {
  for (const auto read : {&read_meta, &read_gpus, &read_warnings, &read_start}) {
    if (auto done = read(database, schema, trace); !done) return done;
  }
  return {};
}

}  // namespace assay::trace
