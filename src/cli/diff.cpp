#include "trace/analysis/diff.hpp"

#include <cstddef>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/profile_input.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/gate.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/compare.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

struct DiffCommand {
  std::filesystem::path before;
  std::filesystem::path after;
  std::vector<std::string> fail_if;
  std::vector<std::string> metrics;  // of Nsight Compute
  trace::DiffOptions diff;
  InputOptions input;
  OutputOptions output;
  std::optional<std::size_t> limit;
};

Result<trace::ProfileSums> sums_of(const Profile& profile) {
  if (const auto* stats = std::get_if<trace::StatsFile>(&profile)) {
    return trace::profile_sums(*stats);
  }
  if (const auto* events = std::get_if<trace::Trace>(&profile)) {
    const trace::OpClassifier classifier;
    trace::Analysis analysis(*events, classifier);
    return trace::profile_sums(analysis);
  }
  return fail(
      ErrorCode::invalid_argument,
      "one profile is of Nsight Compute and the other is not: they have nothing to compare");
}

using Rules = std::vector<trace::GateRule>;

/// Judges the conditions and adds them to the report; true where one holds.
Result<bool> judge(const Rules& rules, const trace::ProfileSums& before,
                   const trace::ProfileSums& after, trace::Report& report) {
  std::vector<trace::GateResult> results;
  for (const trace::GateRule& rule : rules) {
    ASSAY_TRY(trace::GateResult result, trace::judge_gate(rule, before, after));
    results.push_back(std::move(result));
  }
  return !results.empty() && trace::add_gate(results, report);
}

/// Writes the report; the exit code says whether a condition held.
Result<int> finish(trace::Report report, bool failed, const DiffCommand& options) {
  trace::limit_rows(report, options.limit.value_or(usual_limit(options.output.format)));
  if (auto done = write_report(report, options.output); !done) {
    return std::unexpected(std::move(done).error());
  }
  return failed ? kRejected : kSuccess;
}

/// Two reports of Nsight Compute, launch by launch.
Result<int> compare_counters(const trace::NcuReport& before, const trace::NcuReport& after,
                             const Rules& rules, const DiffCommand& options) {
  const std::string title =
      fmt::format("{} and {}", options.before.string(), options.after.string());
  ASSAY_TRY(trace::Report report, trace::compare_ncu(before, after, title, options.metrics));
  ASSAY_TRY(const bool failed, judge(rules, trace::profile_sums(before, options.before.string()),
                                     trace::profile_sums(after, options.after.string()), report));
  return finish(std::move(report), failed, options);
}

Result<int> compare(const DiffCommand& options) {
  // Conditions first: a typing error must not cost the reading of two large profiles.
  Rules rules;
  for (const std::string& text : options.fail_if) {
    ASSAY_TRY(trace::GateRule rule, trace::parse_gate(text));
    rules.push_back(std::move(rule));
  }
  ASSAY_TRY(const Profile first, open_profile(options.before, options.input));
  ASSAY_TRY(const Profile second, open_profile(options.after, options.input));
  if (std::holds_alternative<trace::NcuReport>(first) &&
      std::holds_alternative<trace::NcuReport>(second)) {
    return compare_counters(std::get<trace::NcuReport>(first), std::get<trace::NcuReport>(second),
                            rules, options);
  }
  ASSAY_TRY(const trace::ProfileSums before, sums_of(first));
  ASSAY_TRY(const trace::ProfileSums after, sums_of(second));
  trace::Report report =
      trace::diff_report(before, after, trace::compare(before, after, options.diff));
  ASSAY_TRY(const bool failed, judge(rules, before, after, report));
  return finish(std::move(report), failed, options);
}

}  // namespace

void add_diff(CLI::App& app) {
  auto* command = app.add_subcommand("diff", "Compare two profiles, and fail where one got worse");
  auto options = std::make_shared<DiffCommand>();  // shared with the callback
  command->add_option("before", options->before, "Profile A")->required();
  command->add_option("after", options->after, "Profile B")->required();
  command->add_option("--fail-if", options->fail_if,
                      "A condition (repeatable): 'kernel_time > +5%', 'gpu_idle > 10ms', "
                      "'range_time:\"Forward\" > +3%'");
  command
      ->add_option("--threshold", options->diff.threshold_pct,
                   "Change of a launch's average, in percent, below which it is the same")
      ->capture_default_str();
  command->add_option("--metric", options->metrics,
                      "A metric of Nsight Compute to compare (repeatable)");
  command->add_option("--limit", options->limit, "Rows of each table; 0 for all");
  command->add_option("--format", options->output.format, "table, json, csv, markdown or html")
      ->capture_default_str();
  command->add_option("-o,--output", options->output.file, "Write to this file");
  command->add_option("--nsys", options->input.nsys, "Where nsys is, to read a .nsys-rep")
      ->envname("ASSAY_NSYS");
  command->footer(
      "Figures for conditions: kernel_time, kernel_count, gpu_busy, gpu_idle, gpu_span, api_time,\n"
      "copy_time, copied_bytes, iteration_time, kernel_time:NAME, range_time:NAME (averages; NAME "
      "may\n"
      "hold *); of Nsight Compute kernel_time and kernel_count. Thresholds: +5% and -5% of A, +2ms "
      "more than A, 80ms in B.\n"
      "Exit codes: 0 done, 1 a condition held, 2 wrong usage or input, 3 failure.");
  command->callback([options] {
    const auto code = compare(*options);
    throw CLI::RuntimeError(code ? *code : report(code.error()));
  });
}

}  // namespace assay::cli
