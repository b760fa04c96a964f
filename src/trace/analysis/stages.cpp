#include "trace/analysis/stages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/mfu.hpp"
#include "trace/model_flops.hpp"
#include "trace/table.hpp"

namespace assay::trace {
namespace {

/// Cuts off what stands before `mark`, and the mark.
std::string_view cut(std::string_view& text, char mark) {
  const std::string_view first = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  return trimmed(first);
}

Result<Stage> parse_stage(std::string_view text, const ModelShape& model) {
  Stage stage{.name = std::string(cut(text, ':'))};
  if (stage.name.empty()) {
    return fail(ErrorCode::invalid_argument, "--stages: a stage has no name");
  }
  stage.range = stage.name;
  std::string kind = "counted";
  std::string work;
  while (!text.empty()) {
    const std::string_view item = cut(text, ',');
    if (item.starts_with("range=")) {
      stage.range = item.substr(6);
    } else if (item.starts_with("kind=")) {
      kind = item.substr(5);
    } else if (!item.empty()) {
      work += (work.empty() ? "" : ",") + std::string(item);
    }
  }
  if (work.empty() && kind == "counted") return stage;
  auto parsed = parse_mfu_stage(kind + ":" + work, model);
  if (!parsed) {
    return std::unexpected(std::move(parsed).error().while_doing("--stages: " + stage.name));
  }
  stage.work = *std::move(parsed);
  stage.work->name = stage.name;
  return stage;
}

/// The runs of a stage that count, and what the GPUs took for them.
struct Taken {
  std::uint64_t runs = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t kernels = 0;
  std::int64_t time = 0;
  std::int64_t busy = 0;
};

Result<Taken> take(Analysis& analysis, const std::vector<Projected>& projected,
                   const std::vector<std::uint8_t>& says_warm_up, const Stage& stage) {
  ASSAY_TRY(const auto chosen, analysis.ranges_named(stage.range));
  std::vector<std::uint32_t> rows = outermost(analysis.trace(), chosen);
  std::erase_if(rows, [&](std::uint32_t row) { return projected[row].work == 0; });
  if (rows.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("no GPU work is known to have been launched inside '{}'", stage.range));
  }
  static_cast<void>(leave_out_cut_off(analysis.trace(), rows));
  // By the GPU's time, which is what is told: a busy host makes a run slow to launch only.
  const MeasuredRuns runs = without_warm_up(analysis.trace(), says_warm_up, rows,
                                            projected_times(projected, rows), HostTime::ignored);
  Taken out{.runs = runs.measured.size(), .warm_up = runs.warm_up.size()};
  for (const std::uint32_t row : runs.measured) {
    out.kernels += projected[row].kernels;
    out.time += projected[row].duration();
    out.busy += projected[row].busy;
  }
  return out;
}

Table empty_table() {
  Table table{.name = "stages",
              .title = "Stages",
              .columns = {{"stage", "Stage"},
                          {"range", "Range"},
                          {"runs", "Runs", ColumnType::integer},
                          {"warm_up_runs", "Warm-up", ColumnType::integer},
                          {"per_run_ns", "Takes", ColumnType::duration},
                          {"total_ns", "Total", ColumnType::duration},
                          {"share_pct", "Share", ColumnType::percent},
                          {"busy_pct", "GPU busy", ColumnType::percent},
                          {"kernels_per_run", "Kernels", ColumnType::real}}};
  table.notes.emplace_back(
      "Takes is from the start of the first piece of GPU work launched inside to the end of the "
      "last, on average; share is of all stages listed. Runs that are warm-up are left out.");
  return table;
}

void warn(Report& report, const std::string& subject, std::string message) {
  report.findings.push_back({.kind = FindingKind::warning,
                             .name = "stage_unknown",
                             .title = "A stage without figures",
                             .message = std::move(message),
                             .subject = subject});
}

void add_row(Table& table, const Stage& stage, const Taken& taken, std::int64_t whole) {
  const auto runs = static_cast<double>(taken.runs);
  const auto time = static_cast<double>(taken.time);
  table.add_row({stage.name, stage.range, taken.runs, taken.warm_up, time / runs, taken.time,
                 100 * time / static_cast<double>(std::max<std::int64_t>(whole, 1)),
                 100 * static_cast<double>(taken.busy) / std::max(time, 1.0),
                 static_cast<double>(taken.kernels) / runs});
}

}  // namespace

Result<std::vector<Stage>> parse_stages(std::string_view text, const ModelShape& model) {
  std::vector<Stage> out;
  while (!text.empty()) {
    const std::string_view item = cut(text, ';');
    if (item.empty()) continue;
    ASSAY_TRY(Stage stage, parse_stage(item, model));
    out.push_back(std::move(stage));
  }
  if (out.empty()) return fail(ErrorCode::invalid_argument, "--stages names no stage");
  return out;
}

void add_stages(Analysis& analysis, const std::vector<Stage>& stages, const ModelShape& model,
                const MfuPeak& peak, Report& report) {
  const auto projected = project(analysis.trace(), analysis.attribution(), RangeRule::both);
  const auto says_warm_up = warm_up_ranges(analysis.trace());
  std::vector<std::pair<const Stage*, Taken>> known;
  std::int64_t whole = 0;
  for (const Stage& stage : stages) {
    const auto taken = take(analysis, projected, says_warm_up, stage);
    if (!taken) {
      warn(report, stage.name, fmt::format("Stage {}: {}.", stage.name, taken.error().message()));
      continue;
    }
    known.emplace_back(&stage, *taken);
    whole += taken->time;
  }
  Table table = empty_table();
  std::vector<MfuStage> worked;
  for (const auto& [stage, taken] : known) {
    add_row(table, *stage, taken, whole);
    if (!stage->work) continue;
    worked.push_back(*stage->work);
    worked.back().time_ns = static_cast<double>(taken.time);
    worked.back().shape.repeats *= static_cast<double>(taken.runs);
  }
  std::vector<Table> tables = {std::move(table)};
  if (!worked.empty()) {
    auto mfu = model_mfu(model, worked, peak);
    if (mfu) {
      for (Table& more : mfu->tables) tables.push_back(std::move(more));
      for (Fact& fact : mfu->facts) report.facts.push_back(std::move(fact));
      for (Finding& finding : mfu->findings) report.findings.push_back(std::move(finding));
    } else {
      warn(report, "", fmt::format("No utilisation: {}.", mfu.error().message()));
    }
  }
  report.tables.insert(report.tables.begin(), std::make_move_iterator(tables.begin()),
                       std::make_move_iterator(tables.end()));
}

}  // namespace assay::trace
