#include "compile/ptxas_report.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "model/kernel_resources.hpp"

namespace assay::compile {
namespace {

// A submitted line that a compiler quotes is indented, so it never begins so.
constexpr std::string_view kInfo = "ptxas info";
constexpr std::string_view kProperties = ": Function properties for ";
constexpr std::string_view kFrame = " bytes stack frame, ";

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// The symbol whose frame the next line describes.
std::optional<std::string_view> described(std::string_view line) {
  const std::size_t at = line.find(kProperties);
  if (!line.starts_with(kInfo) || at == line.npos) return std::nullopt;
  return line.substr(at + kProperties.size());
}

/// The number right before `unit`.
std::optional<int> count_of(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == line.npos) return std::nullopt;
  const std::size_t before = line.substr(0, end).find_last_not_of("0123456789");
  const std::size_t start = before == line.npos ? 0 : before + 1;
  int count = 0;
  const auto read = std::from_chars(line.data() + start, line.data() + end, count);
  if (start == end || read.ec != std::errc()) return std::nullopt;
  return count;
}

}  // namespace

std::optional<RegisterSpills> spills_in(std::string_view log, std::string_view symbol) {
  while (!log.empty()) {
    if (described(take_line(log)) != symbol) continue;
    const std::string_view frame = take_line(log);
    const auto stored = count_of(frame, " bytes spill stores");
    const auto loaded = count_of(frame, " bytes spill loads");
    if (!stored || !loaded) return std::nullopt;
    return RegisterSpills{.store_bytes = *stored, .load_bytes = *loaded};
  }
  return std::nullopt;
}

std::string without_ptxas_report(std::string_view log) {
  std::string rest;
  bool frame_follows = false;
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    const bool of_report =
        line.starts_with(kInfo) || (frame_follows && line.find(kFrame) != std::string_view::npos);
    frame_follows = described(line).has_value();
    if (!of_report) rest.append(line).append("\n");
  }
  return rest;
}

}  // namespace assay::compile
