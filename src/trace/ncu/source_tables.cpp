#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "trace/ncu/report.hpp"
#include "trace/ncu/source_view.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// A warp that issues its instruction is sampled too; it does not wait.
constexpr std::string_view kIssuing = "selected";

double samples_of(const LaunchInstructions& instructions) {
  double sum = 0;
  for (const InstructionCounters& one : instructions) sum += one.samples;
  return sum;
}

Cell sample_share(double part, double whole) {
  return whole > 0 ? Cell(100 * part / whole) : Cell();
}

/// "long scoreboard" of "long_scoreboard".
std::string reason_text(std::string_view reason) {
  std::string words(reason);
  std::ranges::replace(words, '_', ' ');
  return words;
}

const StallCount* main_stall(const std::vector<StallCount>& stalls) {
  for (const StallCount& stall : stalls) {
    if (stall.reason != kIssuing) return &stall;
  }
  return nullptr;
}

Cell stall_cell(const std::vector<StallCount>& stalls) {
  const StallCount* stall = main_stall(stalls);
  return stall == nullptr ? Cell() : Cell(reason_text(stall->reason));
}

/// Sectors that no thread asked for, of those that were moved.
Cell excess_cell(double sectors, double ideal) {
  return sectors > 0 ? Cell(std::max(0.0, 100 * (sectors - ideal) / sectors)) : Cell();
}

std::string_view last_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string line_place(const InstructionCounters& one) {
  return one.file.empty() ? std::string() : fmt::format("{}:{}", last_name(one.file), one.line);
}

/// A line's own text, where the report keeps the file.
std::string line_text(const NcuReport& report, const NcuLaunch& launch, std::string_view file,
                      std::uint64_t line) {
  const NcuModule* module = report.module_of(launch);
  if (module == nullptr) return {};
  for (const NcuSourceFile& source : module->files) {
    if (source.name != file) continue;
    std::string_view rest = source.content;
    for (std::uint64_t at = 1; at < line && !rest.empty(); ++at) {
      rest.remove_prefix(std::min(rest.size(), rest.find('\n') == std::string_view::npos
                                                   ? rest.size()
                                                   : rest.find('\n') + 1));
    }
    const std::string_view text = rest.substr(0, rest.find('\n'));
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? "" : std::string(text.substr(first));
  }
  return {};
}

/// What the instructions of one line come to.
struct LineSum {
  double samples = 0;
  double executed = 0;
  double sectors = 0;
  double ideal = 0;
  std::map<std::string, double> stalls;
  std::map<std::string, std::size_t> sass;

  void add(const InstructionCounters& one) {
    samples += one.samples;
    executed += one.executed;
    sectors += one.sectors;
    ideal += one.ideal_sectors;
    for (const StallCount& stall : one.stalls) stalls[stall.reason] += stall.samples;
    ++sass[one.sass];
  }

  [[nodiscard]] std::vector<StallCount> by_samples() const {
    std::vector<StallCount> out;
    out.reserve(stalls.size());
    for (const auto& [reason, count] : stalls) out.push_back({reason, count});
    std::ranges::stable_sort(out, std::ranges::greater(), &StallCount::samples);
    return out;
  }

  /// "LDG x2, FFMA", the most frequent first.
  [[nodiscard]] std::string sass_text() const {
    std::vector<std::pair<std::string, std::size_t>> kinds(sass.begin(), sass.end());
    std::ranges::stable_sort(kinds, std::ranges::greater(),
                             [](const auto& kind) { return kind.second; });
    std::string out;
    for (const auto& [name, count] : kinds) {
      if (name.empty()) continue;
      out += fmt::format("{}{}{}", out.empty() ? "" : ", ", name,
                         count == 1 ? "" : fmt::format(" x{}", count));
    }
    return out;
  }
};

}  // namespace

Table ncu_stall_table(const NcuReport& report, const std::vector<LaunchInstructions>& instructions,
                      std::size_t most) {
  Table table{.name = "stalls",
              .title = "Why warps wait",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"samples_pct", "Of samples", ColumnType::percent},
                          {"samples", "Samples", ColumnType::integer},
                          {"reason", "Reason"},
                          {"meaning", "Waiting"},
                          {"kernel", "Kernel"}}};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    LineSum sum;
    for (const InstructionCounters& one : instructions[i]) sum.add(one);
    std::vector<StallCount> stalls = sum.by_samples();
    if (most > 0) stalls.resize(std::min(stalls.size(), most));
    for (const StallCount& stall : stalls) {
      table.add_row({report.launches[i].id, sample_share(stall.samples, sum.samples),
                     static_cast<std::uint64_t>(stall.samples), reason_text(stall.reason),
                     stall.reason == kIssuing ? std::string_view("not at all: it issues")
                                              : meaning_of_stall(stall.reason),
                     report.launches[i].name});
    }
  }
  table.notes.emplace_back(
      "A sample is a look at one warp; what it waits for is what the hardware says. Few samples "
      "say little.");
  return table;
}

Table ncu_line_table(const NcuReport& report, const std::vector<LaunchInstructions>& instructions,
                     std::size_t most) {
  Table table{.name = "source_lines",
              .title = "Source lines",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"line", "Line"},
                          {"samples_pct", "Of samples", ColumnType::percent},
                          {"samples", "Samples", ColumnType::integer},
                          {"stall", "Waits most for"},
                          {"executed", "Executed", ColumnType::integer},
                          {"excess_sectors_pct", "Excess sectors", ColumnType::percent},
                          {"sass", "SASS"},
                          {"source", "Source"},
                          {"file", "File"}}};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    std::map<std::pair<std::string, std::uint64_t>, LineSum> lines;
    for (const InstructionCounters& one : instructions[i]) {
      if (!one.file.empty()) lines[{one.file, one.line}].add(one);
    }
    const double whole = samples_of(instructions[i]);
    std::vector<std::pair<std::pair<std::string, std::uint64_t>, LineSum>> rows(lines.begin(),
                                                                                lines.end());
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const auto& row) { return row.second.samples; });
    if (most > 0) rows.resize(std::min(rows.size(), most));
    for (const auto& [at, sum] : rows) {
      table.add_row({report.launches[i].id, fmt::format("{}:{}", last_name(at.first), at.second),
                     sample_share(sum.samples, whole), static_cast<std::uint64_t>(sum.samples),
                     stall_cell(sum.by_samples()), static_cast<std::uint64_t>(sum.executed),
                     excess_cell(sum.sectors, sum.ideal), sum.sass_text(),
                     line_text(report, report.launches[i], at.first, at.second), at.first});
    }
  }
  table.notes.emplace_back(
      "Executed: instructions, by warps. Excess sectors: moved between L1 and L2 though no thread "
      "asked for them, of all that the line moved.");
  return table;
}

Table ncu_instruction_table(const NcuReport& report,
                            const std::vector<LaunchInstructions>& instructions, std::size_t most) {
  Table table{.name = "instructions",
              .title = most == 0 ? "Instructions" : "Instructions where warps wait most",
              .columns = {{"launch", "#", ColumnType::integer},
                          {"offset", "Offset"},
                          {"sass", "SASS"},
                          {"samples_pct", "Of samples", ColumnType::percent},
                          {"samples", "Samples", ColumnType::integer},
                          {"stall", "Waits most for"},
                          {"executed", "Executed", ColumnType::integer},
                          {"threads_per_warp", "Threads", ColumnType::real},
                          {"excess_sectors_pct", "Excess sectors", ColumnType::percent},
                          {"line", "Line"}}};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    std::vector<const InstructionCounters*> rows;
    for (const InstructionCounters& one : instructions[i]) rows.push_back(&one);
    if (most > 0) {
      std::ranges::stable_sort(rows, std::ranges::greater(), &InstructionCounters::samples);
      std::erase_if(rows, [](const InstructionCounters* one) { return one->samples == 0; });
      rows.resize(std::min(rows.size(), most));
    }
    const double whole = samples_of(instructions[i]);
    const bool threads_known = std::ranges::any_of(
        instructions[i], [](const InstructionCounters& one) { return one.threads > 0; });
    for (const InstructionCounters* one : rows) {
      table.add_row(
          {report.launches[i].id, fmt::format("{:#06x}", one->offset), one->sass,
           sample_share(one->samples, whole), static_cast<std::uint64_t>(one->samples),
           stall_cell(one->stalls), static_cast<std::uint64_t>(one->executed),
           threads_known && one->executed > 0 ? Cell(one->threads / one->executed) : Cell(),
           excess_cell(one->sectors, one->ideal_sectors), line_place(*one)});
    }
  }
  table.notes.emplace_back(
      "Warps wait at the instruction that needs what is not there yet, not at the one that asked "
      "for it. Threads: of 32, those that took part.");
  return table;
}

std::vector<Finding> hot_spots(const NcuReport& report,
                               const std::vector<LaunchInstructions>& instructions) {
  constexpr double kStandsOut = 0.1;
  constexpr double kEnoughSamples = 100;
  std::vector<Finding> out;
  std::set<std::pair<std::string, std::uint64_t>> told;  // kernel and place: launches are alike
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const double whole = samples_of(instructions[i]);
    const auto most = std::ranges::max_element(instructions[i], {}, &InstructionCounters::samples);
    if (whole < kEnoughSamples || most->samples < kStandsOut * whole) continue;
    if (!told.emplace(report.launches[i].name, most->offset).second) continue;
    const StallCount* stall = main_stall(most->stalls);
    const std::string at = most->file.empty()
                               ? fmt::format("offset {:#06x}", most->offset)
                               : fmt::format("{}, offset {:#06x}", line_place(*most), most->offset);
    std::string message =
        fmt::format("{:.1f}% of the samples are at one instruction{}, {}",
                    100 * most->samples / whole, most->sass.empty() ? "" : ", " + most->sass, at);
    if (stall != nullptr) {
      const std::string_view meaning = meaning_of_stall(stall->reason);
      message +=
          fmt::format(": warps wait there {}",
                      meaning.empty() ? "for " + reason_text(stall->reason) : std::string(meaning));
    }
    Finding finding{
        .kind = FindingKind::info,
        .name = "hot_spot",
        .title = "Where warps wait",
        .message = message + ".",
        .subject = fmt::format("#{} {}", report.launches[i].id, report.launches[i].name)};
    finding.evidence = {{"samples", "Samples", most->samples, ColumnType::integer},
                        {"all_samples", "Of", whole, ColumnType::integer}};
    if (stall != nullptr) {
      finding.evidence.push_back(
          {"stall", "Waits most for",
           fmt::format("{}, {:.0f} samples", reason_text(stall->reason), stall->samples)});
    }
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace assay::trace
