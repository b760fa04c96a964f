#include "cli/kernel_page.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "metrics/keys.hpp"
#include "trace/figures.hpp"
#include "trace/ncu/report.hpp"
#include "trace/ncu/source_view.hpp"
#include "trace/table.hpp"
#include "wire/value.hpp"

namespace assay::cli {
namespace {

using trace::Cell;
using trace::ColumnType;
using wire::Value;

constexpr std::string_view kStallGroup = "stall_metrics";

struct Side {
  std::string_view name;  // for people
  const Value& call;
};

std::optional<double> number_in(const Value& call, std::string_view group, std::string_view key) {
  const Value& value = call[group][key];
  if (value.is_null() || !value.text().empty()) return std::nullopt;
  return value.number();
}

std::string_view unit_of(std::string_view group, std::string_view key) {
  for (const metrics::Key& one : metrics::keys()) {
    if (one.group == group && one.key == key) return one.unit;
  }
  return {};
}

/// "long scoreboard" of "stall_long_scoreboard_pct".
std::string plain(std::string_view key) {
  if (key.starts_with("stall_")) key.remove_prefix(6);
  if (key.ends_with("_pct")) key.remove_suffix(4);
  std::string words(key);
  std::ranges::replace(words, '_', ' ');
  return words;
}

void add_findings(const Side& side, trace::Report& report) {
  for (const Value& said : side.call["findings"].elements()) {
    trace::Finding finding{
        .kind = side.name == "candidate" ? trace::FindingKind::answer : trace::FindingKind::info,
        .name = std::string(said["rule"].text()),
        .title = plain(said["rule"].text()),
        .message = std::string(said["text"].text()),
        .subject = std::string(side.name)};
    for (const auto& [key, value] : said["numbers"].members()) {
      finding.evidence.emplace_back(
          key, plain(key), value.text().empty() ? Cell(value.number()) : Cell(value.text()),
          value.text().empty() ? ColumnType::real : ColumnType::text);
    }
    report.findings.push_back(std::move(finding));
  }
}

/// Both kernels under their ceilings; nothing where the counters do not say enough.
std::optional<trace::Roofline> roofline_of(const std::vector<Side>& sides) {
  trace::Roofline roofline{.title = "one call of each kernel"};
  for (const Side& side : sides) {
    const auto read = [&](std::string_view key) {
      return number_in(side.call, "roofline_metrics", key).value_or(0);
    };
    const double intensity = read("arithmetic_intensity");
    const double rate = 1e9 * read("gflops");
    const double peak = 1e9 * read("peak_gflops");
    const double bytes = 1e9 * read("dram_peak_gb_s");
    if (intensity <= 0 || rate <= 0 || peak <= 0 || bytes <= 0) continue;  // no place on log scales
    const std::string ceiling = fmt::format("peak, {}", side.name);
    roofline.bytes_per_second = std::max(roofline.bytes_per_second, bytes);
    roofline.ceilings.push_back({.name = ceiling, .flop_per_second = peak});
    roofline.points.push_back(
        {.label = std::string(side.name),
         .ceiling = ceiling,
         .flop_per_byte = intensity,
         .flop_per_second = rate,
         .duration_ns =
             number_in(side.call, "timing_metrics", "gpu_time_duration_sum").value_or(1)});
  }
  return roofline.points.empty() ? std::nullopt : std::optional(std::move(roofline));
}

std::optional<trace::Breakdown> stalls_of(const Side& side) {
  trace::Breakdown breakdown{.title = "Why the candidate's warps wait, % of their time",
                             .unit = "%"};
  for (const auto& [key, value] : side.call[kStallGroup].members()) {
    if (value.number() <= 0) continue;
    breakdown.slices.push_back({.label = plain(key), .group = plain(key), .value = value.number()});
  }
  if (breakdown.slices.empty()) return std::nullopt;
  double named = 0;
  for (const trace::Slice& slice : breakdown.slices) named += slice.value;
  // So that shares on the page are those of a warp's time.
  if (named < 100) {
    breakdown.slices.push_back(
        {.label = "none of these", .group = "none of these", .value = 100 - named});
  }
  return breakdown;
}

Cell cell_of(const Value& value) {
  if (value.is_null()) return {};
  return value.text().empty() ? Cell(value.number()) : Cell(value.text());
}

/// One group: every key that either kernel has.
trace::Table table_of(std::string_view group, const Value& original, const Value& custom) {
  trace::Table table{.name = std::string(group),
                     .title = plain(group),
                     .columns = {{"key", "Number"},
                                 {"unit", "Unit"},
                                 {"reference", "Reference", ColumnType::real},
                                 {"candidate", "Candidate", ColumnType::real},
                                 {"ratio", "Candidate / reference", ColumnType::real}}};
  std::vector<std::string> keys;
  for (const Value* call : {&original, &custom}) {
    for (const auto& [key, value] : (*call)[group].members()) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  for (const std::string& key : keys) {
    const auto before = number_in(original, group, key);
    const auto after = number_in(custom, group, key);
    const Cell ratio = before && after && *before != 0 ? Cell(*after / *before) : Cell();
    table.add_row({key, unit_of(group, key), cell_of(original[group][key]),
                   cell_of(custom[group][key]), ratio});
  }
  return table;
}

trace::Table launches_of(const std::vector<Side>& sides) {
  trace::Table table{.name = "launches",
                     .title = "Launches that were profiled",
                     .columns = {{"of", "Of the"},
                                 {"kernel", "Kernel"},
                                 {"grid", "Grid"},
                                 {"block", "Block"},
                                 {"duration_ns", "Duration", ColumnType::duration},
                                 {"share_pct", "Of the call", ColumnType::percent}}};
  for (const Side& side : sides) {
    for (const Value& launch : side.call["launches"].elements()) {
      table.add_row({side.name, launch["kernel"].text(), launch["grid"].text(),
                     launch["block"].text(), cell_of(launch["duration_ns"]),
                     launch["share"].is_null() ? Cell() : Cell(100 * launch["share"].number())});
    }
  }
  return table;
}

void add_facts(const Value& job, trace::Report& report) {
  const Value& result = job["result"];
  const Value& status = result["device_metrics_status"];
  const auto add = [&](const char* name, const char* heading, std::string_view text) {
    if (!text.empty()) report.facts.emplace_back(name, heading, text);
  };
  add("verdict", "Verdict", job["verdict"].text());
  add("device", "Device", result["provenance"]["device_name"].text());
  add("counters", "Counters", status["state"].text());
  add("profiler", "Nsight Compute", status["profiler"].text());
  add("profiled", "Profiled", status["kernels"].text());
  for (const Value& side : status["cached"].elements()) {
    add("cached", "Of an earlier run", side.text() == "original" ? "reference" : "candidate");
  }
}

}  // namespace

trace::Report kernel_page(const Value& job) {
  const std::string_view name = job["name"].text();
  trace::Report report{.title = fmt::format("What limits {}", name.empty() ? "the kernel" : name)};
  add_facts(job, report);
  const Value& metrics = job["result"]["device_metrics"];
  const Value& original = metrics["original_device_metrics"];
  const Value& custom = metrics["custom_device_metrics"];
  std::vector<Side> sides;
  if (!custom.is_null()) sides.push_back({"candidate", custom});
  if (!original.is_null()) sides.push_back({"reference", original});
  if (sides.empty()) {
    const Value& status = job["result"]["device_metrics_status"];
    report.findings.push_back(
        {.kind = trace::FindingKind::abstention,
         .name = "no_counters",
         .title = "No counters",
         .message = fmt::format("{}. {}", status["reason"].text(), status["advice"].text())});
    return report;
  }
  for (const Side& side : sides) add_findings(side, report);
  if (auto roofline = roofline_of(sides)) report.figures.rooflines.push_back(*std::move(roofline));
  report.figures.breakdown = stalls_of(sides.front());
  report.tables.push_back(launches_of(sides));
  std::vector<std::string_view> groups;
  for (const metrics::Key& key : metrics::keys()) {
    if (groups.empty() || groups.back() != key.group) groups.push_back(key.group);
  }
  for (const std::string_view group : groups) {
    if (original[group].is_null() && custom[group].is_null()) continue;
    report.tables.push_back(table_of(group, original, custom));
  }
  return report;
}

void add_source(const trace::NcuReport& candidate, trace::Report& page) {
  const auto instructions = trace::instructions_of(candidate);
  for (trace::Finding& finding : trace::hot_spots(candidate, instructions)) {
    page.findings.push_back(std::move(finding));
  }
  for (trace::Table table : {trace::ncu_line_table(candidate, instructions),
                             trace::ncu_instruction_table(candidate, instructions)}) {
    if (table.rows.empty()) continue;
    table.title += " of the candidate";
    page.tables.push_back(std::move(table));
  }
}

}  // namespace assay::cli
