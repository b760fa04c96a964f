#include "cli/profile_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <expected>
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
#include "model/names.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/basis.hpp"
#include "trace/analysis/diff.hpp"
#include "trace/analysis/gate.hpp"
#include "trace/analysis/like_with_like.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/profile_sums.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/ncu/compare.hpp"
#include "trace/ncu/report.hpp"
#include "trace/short_names.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

Result<trace::ProfileSums> sums_of(const Profile& profile) {
  if (const auto* stats = std::get_if<trace::StatsFile>(&profile)) {
    return trace::profile_sums(*stats);
  }
  if (const auto* events = std::get_if<trace::Trace>(&profile)) {
    const trace::OpClassifier classifier;
    trace::Analysis analysis(*events, classifier);
    return trace::profile_sums(analysis);
  }
  return fail(ErrorCode::invalid_argument,
              "one profile is of Nsight Compute and the other is not: the two cannot be compared");
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
Result<int> finish(trace::Report report, bool failed, const ProfileDiff& options) {
  if (options.names == "short") trace::shorten_names(report);
  trace::limit_rows(report, options.limit.value_or(usual_limit(options.output.format)));
  if (auto done = write_report(report, options.output); !done) {
    return std::unexpected(std::move(done).error());
  }
  return failed ? kRejected : kSuccess;
}

/// Why launches of two reports cannot stand for the reports; empty where they can. A new slow
/// kernel could go unnoticed.
std::string why_unlike(const std::optional<trace::NcuLaunchTimes>& times) {
  constexpr double kEnough = 80;
  if (!times) return "the reports have no kernel in common";
  if (std::min(times->before_shared_pct, times->after_shared_pct) >= kEnough) return {};
  return fmt::format(
      "launches of the kernels that both have are compared, and those hold only {}% of A's time "
      "and "
      "{}% of B's: match renamed kernels with --match, or name one with kernel_time:NAME",
      times->before_shared_pct, times->after_shared_pct);
}

/// Two reports of Nsight Compute, kernel by kernel.
Result<int> compare_counters(const trace::NcuReport& before, const trace::NcuReport& after,
                             const Rules& rules, const ProfileDiff& options) {
  if (!options.range.empty() || (!options.per.empty() && options.per != "launch")) {
    return fail(ErrorCode::invalid_argument,
                "reports of Nsight Compute hold only chosen launches: they can only be compared by "
                "launch");
  }
  const std::string title =
      fmt::format("{} and {}", options.before.string(), options.after.string());
  const trace::NcuDiffOptions how{.metrics = options.metrics, .matches = options.diff.matches};
  ASSAY_TRY(trace::Report report, trace::compare_ncu(before, after, title, how));
  trace::ProfileSums first = trace::profile_sums(before, options.before.string());
  trace::ProfileSums second = trace::profile_sums(after, options.after.string());
  ASSAY_TRY(const auto times, trace::ncu_launch_times(before, after, how));
  const std::string unlike = why_unlike(times);
  for (trace::ProfileSums* sums : {&first, &second}) {
    if (unlike.empty()) {
      sums->metrics["kernel_time"].value = sums == &first ? times->before_ns : times->after_ns;
    } else {
      sums->metrics.erase("kernel_time");
      sums->absent["kernel_time"] = unlike;
    }
  }
  ASSAY_TRY(const bool failed, judge(rules, first, second, report));
  return finish(std::move(report), failed, options);
}

/// The sums of two profiles, of parts that can be held against each other.
Result<trace::LikePair> like_parts(const Profile& first, const Profile& second,
                                   const ProfileDiff& options) {
  trace::LikeOptions like{.range = options.range};
  if (!options.per.empty()) like.per = value_in(trace::kPerNames, options.per);
  const auto* a = std::get_if<trace::Trace>(&first);
  const auto* b = std::get_if<trace::Trace>(&second);
  if (a != nullptr && b != nullptr) {
    const trace::OpClassifier classifier;
    trace::Analysis before(*a, classifier);
    trace::Analysis after(*b, classifier);
    return trace::like_with_like(before, after, like);
  }
  ASSAY_TRY(trace::ProfileSums before, sums_of(first));
  ASSAY_TRY(trace::ProfileSums after, sums_of(second));
  return trace::like_with_like(std::move(before), std::move(after), like);
}

/// What the command line says, before large profiles are read: a typing error must not cost that.
Result<Rules> parse_rules(ProfileDiff& options) {
  Rules rules;
  for (const std::string& text : options.fail_if) {
    ASSAY_TRY(trace::GateRule rule, trace::parse_gate(text));
    rules.push_back(std::move(rule));
  }
  for (const std::string& text : options.matches) {
    ASSAY_TRY(auto match, trace::parse_match(text));
    options.diff.matches.push_back(std::move(match));
  }
  return rules;
}

}  // namespace

void add_diff_options(CLI::App& command, ProfileDiff& options) {
  command.add_option("--fail-if", options.fail_if,
                     "A condition (repeatable): 'kernel_time > +5%', 'gpu_idle > 10ms', "
                     "'range_time:\"Forward\" > +3%'");
  command
      .add_option("--threshold", options.diff.threshold_pct,
                  "Launches whose average changes by less than this many percent count as the same")
      ->capture_default_str();
  command
      .add_option("--per", options.per,
                  "What to compare by (default: iterations where both profiles have the same "
                  "loop, totals where both launched as many kernels, otherwise launches)")
      ->check(CLI::IsMember({"total", "iteration", "range", "launch"}));
  command.add_option("--range", options.range,
                     "Compare ranges of this name, which both profiles must have");
  command.add_option("--match", options.matches,
                     "Kernels that are the same under other names: old=new (repeatable)");
  command.add_option("--metric", options.metrics,
                     "A metric of Nsight Compute to compare (repeatable)");
  command.add_option("--names", options.names, "Kernel names to show")
      ->check(CLI::IsMember({"demangled", "short"}))
      ->capture_default_str();
  command.add_option("--limit", options.limit, "Rows of each table; 0 for all")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000'000}));
  command.add_option("--format", options.output.format, "table, json, csv, markdown or html")
      ->capture_default_str();
  command.add_option("-o,--output", options.output.file, "Write to this file");
  command.add_option("--nsys", options.input.nsys, "Where nsys is, to read a .nsys-rep")
      ->envname("ASSAY_NSYS");
  command.footer(
      "Figures for conditions: kernel_time, kernel_count, gpu_busy, gpu_idle, gpu_span, api_time,\n"
      "copy_time, copied_bytes, iteration_time, kernel_time:NAME, range_time:NAME (averages; NAME "
      "may\n"
      "hold *). Reports of Nsight Compute have kernel_time and kernel_count alone.\n"
      "--per says what the figures are of.\n"
      "Thresholds: +5% and -5% of A, +2ms more than A, 80ms in B.\n"
      "Exit codes: 0 done, 1 a condition held, 2 wrong usage or input, 3 failure.");
}

Result<int> compare_profiles(ProfileDiff options) {
  ASSAY_TRY(const Rules rules, parse_rules(options));
  ASSAY_TRY(const Profile first, open_profile(options.before, options.input));
  ASSAY_TRY(const Profile second, open_profile(options.after, options.input));
  if (std::holds_alternative<trace::NcuReport>(first) &&
      std::holds_alternative<trace::NcuReport>(second)) {
    return compare_counters(std::get<trace::NcuReport>(first), std::get<trace::NcuReport>(second),
                            rules, options);
  }
  ASSAY_TRY(trace::LikePair pair, like_parts(first, second, options));
  if (auto done = trace::check_comparable(pair.a, pair.b); !done) {
    return std::unexpected(std::move(done).error());
  }
  options.diff.basis = pair.basis;
  ASSAY_TRY(const trace::Diff diff, trace::compare(pair.a, pair.b, options.diff));
  trace::Report report = trace::diff_report(pair.a, pair.b, diff);
  trace::judge_by(diff, pair.a, pair.b);
  ASSAY_TRY(const bool failed, judge(rules, pair.a, pair.b, report));
  return finish(std::move(report), failed, options);
}

}  // namespace assay::cli
