#include "metrics/sanitizer_log.hpp"

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

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/finding.hpp"
#include "model/io_contract.hpp"

namespace assay::metrics {
namespace {

constexpr std::string_view kLineMark = "=========";
constexpr std::size_t kLongestMessage = 400;

/// What stands behind the first `mark`; nothing where it is not there.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

/// A number at the front, with or without commas between its thousands.
std::optional<std::uint64_t> number(std::string_view text, int base = 10) {
  constexpr std::size_t kMostDigits = 20;
  std::string digits;
  for (const char c : text) {
    const bool is_letter = base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
    if (c == ',' && base == 10) continue;
    if ((c < '0' || c > '9') && !is_letter) break;
    digits += c;
    if (digits.size() > kMostDigits) return std::nullopt;
  }
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc{}) return std::nullopt;
  return value;
}

/// "(31,0,0)" at the front.
std::optional<Dim3> indices(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with('(')) return std::nullopt;
  std::array<std::uint32_t, 3> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    text = trimmed(text.substr(1));  // the parenthesis, or the comma before
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), values.at(i), 10);
    if (error != std::errc{}) return std::nullopt;
    text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    if (!text.starts_with(i + 1 < values.size() ? ',' : ')')) return std::nullopt;
  }
  return Dim3{values[0], values[1], values[2]};
}

/// "scale(float *)+0x70 in kernel.cu:25": the number behind the last colon.
std::optional<int> line_of(std::string_view place) {
  const std::size_t in = place.rfind(" in ");
  if (in == std::string_view::npos) return std::nullopt;
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || colon < in) return std::nullopt;
  constexpr std::uint64_t kMost = 10'000'000;
  const auto line = number(place.substr(colon + 1));
  if (!line || *line == 0 || *line > kMost) return std::nullopt;
  return static_cast<int>(*line);
}

/// A report: its first line and those below it.
struct Report {
  std::string_view title;
  std::vector<std::string_view> lines;
};

std::string message_of(const Report& report) {
  std::string message(report.title);
  for (const std::string_view line : report.lines) {
    if (line.starts_with("at ") || line.starts_with("by thread")) continue;  // they are fields
    message += fmt::format("; {}", line);
  }
  message.resize(std::min(message.size(), kLongestMessage));
  return message;
}

/// Thread, block, line and address, where the lines below the title tell them.
void read_place(const Report& report, Finding& finding) {
  finding.place.thread = finding.place.block = {0, 0, 0};
  for (const std::string_view line : report.lines) {
    if (line.starts_with("at ")) {
      finding.place.line = line_of(line);
    } else if (const auto who =
                   line.starts_with("by thread") ? after(line, "thread") : std::nullopt) {
      finding.place.thread = indices(*who).value_or(Dim3{0, 0, 0});
      const auto block = after(line, "in block");
      finding.place.block = (block ? indices(*block) : std::nullopt).value_or(Dim3{0, 0, 0});
    } else if (const auto address = after(line, "0x");
               address && (line.starts_with("Address") || line.starts_with("Access"))) {
      finding.address = number(*address, 16);
    }
  }
}

bool says(const Report& report, std::string_view words) {
  return std::ranges::any_of(report.lines, [&](std::string_view line) {
    return line.find(words) != std::string_view::npos;
  });
}

std::string kind_of_access(const Report& report) {
  if (says(report, "is misaligned")) return "misaligned";
  if (says(report, "is out of bounds")) return "out_of_bounds";
  return "wild_access";
}

std::optional<Finding> read_access(const Report& report) {
  const std::string_view title = report.title;
  const bool is_invalid =
      title.starts_with("Invalid __") || title.starts_with("Potential invalid __");
  const bool is_blank = title.starts_with("Uninitialized __");
  if (!is_invalid && !is_blank) return std::nullopt;
  Finding finding{.kind = is_blank ? "uninitialised_read" : kind_of_access(report),
                  .message = message_of(report)};
  finding.place.is_atomic = title.find(" atomic ") != std::string_view::npos;
  finding.place.is_write =
      finding.place.is_atomic || title.find(" write ") != std::string_view::npos;
  read_place(report, finding);
  return finding;
}

std::optional<Finding> read_barrier(const Report& report) {
  if (!report.title.starts_with("Barrier error detected")) return std::nullopt;
  const auto has = [&](std::string_view words) {
    return report.title.find(words) != std::string_view::npos;
  };
  Finding finding{.kind = has("in block")                          ? "barrier_divergence"
                          : has("in warp") || has("Invalid argum") ? "warp_misuse"
                                                                   : "barrier_misuse",
                  .message = message_of(report)};
  read_place(report, finding);
  return finding;
}

/// "Write Thread (0,0,0) at kernel()+0x2f0 in race.cu:20"
std::optional<Place> read_party(std::string_view line, const Dim3& block) {
  const auto who = after(line, "Thread");
  const auto thread = who ? indices(*who) : std::nullopt;
  if (!thread) return std::nullopt;
  return Place{.thread = *thread,
               .block = block,
               .line = line_of(line),
               .is_write = line.starts_with("Write") || line.starts_with("Atomic"),
               .is_atomic = line.starts_with("Atomic")};
}

/// "Error: Potential RAW hazard detected at __shared__ 0x8c in block (0,0,0) :"
std::optional<Finding> read_hazard(const Report& report) {
  const auto where = after(report.title, "hazard detected at ");
  if (!where) return std::nullopt;
  Finding finding{.kind = "race", .message = message_of(report)};
  const auto block = after(*where, "in block");
  const Dim3 index = (block ? indices(*block) : std::nullopt).value_or(Dim3{0, 0, 0});
  if (const auto address = after(*where, "0x")) finding.address = number(*address, 16);
  std::vector<Place> parties;
  for (const std::string_view line : report.lines) {
    if (auto party = read_party(line, index)) parties.push_back(*party);
  }
  if (parties.empty()) return std::nullopt;
  finding.place = parties.front();
  if (parties.size() > 1) finding.other = parties[1];
  return finding;
}

std::optional<Finding> read_report(const Report& report) {
  if (auto finding = read_access(report)) return finding;
  if (auto finding = read_barrier(report)) return finding;
  return read_hazard(report);
}

bool is_same(const Finding& one, const Finding& two) {
  const auto other_line = [](const Finding& finding) {
    return finding.other ? finding.other->line : std::nullopt;
  };
  return one.kind == two.kind && one.place.line && one.place.line == two.place.line &&
         other_line(one) == other_line(two);
}

void add(const Report& report, SanitizerLog& log) {
  if (report.title.empty() || log.findings.size() >= kMostFindings) return;
  auto finding = read_report(report);
  if (!finding) return;
  const auto known = [&](const Finding& other) { return is_same(other, *finding); };
  if (std::ranges::none_of(log.findings, known)) log.findings.push_back(*std::move(finding));
}

}  // namespace

SanitizerLog read_sanitizer_log(std::string_view text) {
  SanitizerLog log;
  Report report;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with(kLineMark)) continue;  // what the program itself printed
    const std::string_view rest = line.substr(kLineMark.size());
    const std::string_view words = trimmed(rest);
    // A title stands one blank behind the mark, what belongs to it further in. An empty line ends
    // the report.
    if (rest.starts_with("  ")) {
      constexpr std::size_t kMostLines = 32;
      if (!words.empty() && report.lines.size() < kMostLines) report.lines.push_back(words);
      continue;
    }
    add(report, log);
    report = {.title = words, .lines = {}};
    if (const auto count = after(words, "ERROR SUMMARY:")) {
      log.complete = true;
      log.errors = number(trimmed(*count)).value_or(0);
    } else if (const auto hazards = after(words, "RACECHECK SUMMARY:")) {
      log.complete = true;
      log.errors = number(trimmed(*hazards)).value_or(0);
    }
  }
  add(report, log);
  return log;
}

}  // namespace assay::metrics
