#include "trace/ncu/csv_columns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "trace/ncu/report.hpp"

namespace assay::trace {
namespace {

constexpr std::string_view kPushPopPrefix = "thread Domain:Push/Pop_Range";
constexpr std::string_view kStartEndPrefix = "Id:Domain:Start/Stop_Range";

using Slot = std::optional<std::size_t> LaunchColumns::*;
constexpr std::array kSlots = std::to_array<std::pair<std::string_view, Slot>>({
    {"ID", &LaunchColumns::id},
    {"Process ID", &LaunchColumns::process_id},
    {"Process Name", &LaunchColumns::process_name},
    {"Host Name", &LaunchColumns::host_name},
    {"Kernel Name", &LaunchColumns::kernel_name},
    {"Context", &LaunchColumns::context},
    {"Stream", &LaunchColumns::stream},
    {"Block Size", &LaunchColumns::block},
    {"Grid Size", &LaunchColumns::grid},
    {"Device", &LaunchColumns::device},
    {"CC", &LaunchColumns::compute_capability},
});

std::optional<std::uint64_t> to_integer(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "(16, 32, 1)"; nothing for "n/a".
std::optional<std::array<std::uint64_t, 3>> parse_dim3(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::array<std::uint64_t, 3> dim{};
  for (std::uint64_t& extent : dim) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    const std::string_view part = text.substr(0, text.find(','));
    const auto value = to_integer(part);
    if (!value) return std::nullopt;
    extent = *value;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return text.empty() ? std::optional(dim) : std::nullopt;
}

/// The function's name within a demangled signature: `f` of `void a::f<T>(int)`.
std::string base_name(std::string_view signature) {
  // Template arguments, parameters and "<unnamed>" namespaces are all nested in brackets.
  std::string outside;
  int depth = 0;
  for (const char c : signature) {
    if (c == '(' && depth == 0) break;
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) outside += c;
    if (c == '>' || c == ')') --depth;
  }
  const std::size_t start = outside.find_last_of(": ");
  return start == std::string::npos ? outside : outside.substr(start + 1);
}

}  // namespace

std::string_view cell(const std::vector<std::string>& record, std::optional<std::size_t> column) {
  return column && *column < record.size() ? std::string_view(record[*column]) : std::string_view();
}

bool LaunchColumns::contains(std::size_t column) const {
  return push_pop_ranges == column || start_end_ranges == column ||
         std::ranges::any_of(kSlots,
                             [&](const auto& slot) { return this->*slot.second == column; });
}

bool is_header(const std::vector<std::string>& record) {
  return record.size() >= 3 && record[0] == "ID" && record[1] == "Process ID";
}

LaunchColumns find_launch_columns(const std::vector<std::string>& header) {
  LaunchColumns columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto slot = std::ranges::find(kSlots, std::string_view(header[i]),
                                        [](const auto& entry) { return entry.first; });
    // A metric could bear a column's name; the identifying columns come first.
    if (slot != kSlots.end() && !(columns.*slot->second)) columns.*slot->second = i;
    if (header[i].starts_with(kPushPopPrefix)) columns.push_pop_ranges = i;
    if (header[i].starts_with(kStartEndPrefix)) columns.start_end_ranges = i;
  }
  return columns;
}

std::optional<NcuLaunch> read_launch(const std::vector<std::string>& record,
                                     const LaunchColumns& columns) {
  const auto id = to_integer(cell(record, columns.id));
  const auto process = to_integer(cell(record, columns.process_id));
  if (!id || !process) return std::nullopt;
  NcuLaunch launch{
      .id = *id,
      .name = std::string(cell(record, columns.kernel_name)),
      .grid = parse_dim3(cell(record, columns.grid)),
      .block = parse_dim3(cell(record, columns.block)),
      .process_id = *process,
      .process_name = std::string(cell(record, columns.process_name)),
      .host_name = std::string(cell(record, columns.host_name)),
      .context = to_integer(cell(record, columns.context)),
      .stream = to_integer(cell(record, columns.stream)),
      .device = to_integer(cell(record, columns.device)).value_or(0),
      .compute_capability = std::string(cell(record, columns.compute_capability)),
      .nvtx = parse_nvtx_cell(cell(record, columns.push_pop_ranges), NcuNvtxRange::Kind::push_pop)};
  launch.function = base_name(launch.name);
  if (!columns.grid) launch.workload = NcuWorkload::range;
  for (NcuNvtxRange& range :
       parse_nvtx_cell(cell(record, columns.start_end_ranges), NcuNvtxRange::Kind::start_end)) {
    launch.nvtx.push_back(std::move(range));
  }
  return launch;
}

std::vector<NcuNvtxRange> parse_nvtx_cell(std::string_view cell, NcuNvtxRange::Kind kind) {
  std::vector<NcuNvtxRange> ranges;
  const std::string_view thread = cell.substr(0, cell.find(' '));
  for (std::size_t open = cell.find('"'); open != std::string_view::npos;
       open = cell.find('"', open)) {
    const std::size_t close = cell.find('"', open + 1);
    if (close == std::string_view::npos) break;
    std::string_view text = cell.substr(open + 1, close - open - 1);
    open = close + 1;
    // [id:]domain:name:payload type:value:colour type:colour:message type:message; a name may
    // hold colons, so the six attributes are counted from the end.
    if (kind == NcuNvtxRange::Kind::start_end) {
      text.remove_prefix(std::min(text.size(), text.find(':') + 1));
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view domain = text.substr(0, colon);
    text.remove_prefix(colon + 1);
    for (int i = 0; i < 6 && text.find(':') != std::string_view::npos; ++i) {
      text = text.substr(0, text.rfind(':'));
    }
    ranges.push_back({.kind = kind,
                      .domain = domain == "<default domain>" ? "" : std::string(domain),
                      .name = std::string(text),
                      .thread = to_integer(thread).value_or(0)});
  }
  return ranges;
}

}  // namespace assay::trace
