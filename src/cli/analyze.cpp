#include "trace/ncu/analyze.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
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
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/mfu_flags.hpp"
#include "cli/profile_input.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/attention_flops.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/pick_kernels.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/device_peaks.hpp"
#include "trace/events/events.hpp"
#include "trace/events/nsys_stats.hpp"
#include "trace/mfu.hpp"
#include "trace/ncu/report.hpp"
#include "trace/short_names.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

struct AnalyzeOptions {
  std::filesystem::path file;
  InputOptions input;
  OutputOptions output;
  std::vector<std::string> reports;
  std::string names = "demangled";
  std::string range;
  std::string rule = "both";
  std::string iteration;
  std::optional<std::size_t> limit;
  std::optional<std::filesystem::path> classes;

  std::string ask;
  std::optional<std::filesystem::path> against;
  std::string against_range;
  std::string measured;
  double tolerance_pct = 5;
  std::string shape;

  std::size_t top_kernels = 0;
  std::string emit;
  std::string ncu_set = "full";

  MfuFlags mfu;
  trace::NcuOptions ncu;
};

trace::RangeRule rule_of(const AnalyzeOptions& options) {
  return options.rule == "both" ? trace::RangeRule::both : trace::RangeRule::same_thread;
}

trace::KernelNaming naming_of(const AnalyzeOptions& options) {
  return options.names == "short" ? trace::KernelNaming::short_name
                                  : trace::KernelNaming::demangled;
}

/// Writes a report with names as they were asked for.
Result<void> write(trace::Report report, const AnalyzeOptions& options) {
  if (options.names == "short") trace::shorten_names(report);
  return write_report(report, options.output);
}

Result<trace::OpClassifier> classifier_of(const AnalyzeOptions& options) {
  trace::OpClassifier classifier;
  if (!options.classes) return classifier;
  ASSAY_TRY(const std::string rules, read_file(*options.classes));
  if (auto done = classifier.override_with(rules, options.classes->string()); !done) {
    return std::unexpected(std::move(done).error());
  }
  return classifier;
}

std::size_t limit_of(const AnalyzeOptions& options) {
  return options.limit.value_or(usual_limit(options.output.format));
}

/// A first look shows the top of each table to people; a page or a program gets them whole.
std::size_t report_limit(const AnalyzeOptions& options) {
  constexpr std::size_t kFirstLook = 10;
  const bool first_look = options.reports.empty() && options.output.format != "html";
  if (options.limit || !first_look) return limit_of(options);
  return std::min(limit_of(options), kFirstLook);
}

trace::ReportOptions report_options(const AnalyzeOptions& options) {
  return {.reports = options.reports,
          .naming = naming_of(options),
          .range = options.range,
          .rule = rule_of(options),
          .iteration = options.iteration,
          .limit = report_limit(options),
          .figures = options.output.format == "html"};
}

Result<trace::Report> answer(trace::Analysis& analysis, const trace::OpClassifier& classifier,
                             const AnalyzeOptions& options) {
  trace::AskOptions ask{.range = options.range,
                        .iteration = options.iteration,
                        .against_range = options.against_range,
                        .rule = rule_of(options),
                        .tolerance_pct = options.tolerance_pct,
                        .naming = naming_of(options)};
  if (!options.measured.empty()) {
    ASSAY_TRY(ask.measured, parse_duration(options.measured));
  }
  if (!options.shape.empty()) {
    ASSAY_TRY(ask.shape, trace::parse_attention_shape(options.shape));
  }
  std::optional<Profile> other;
  std::optional<trace::Analysis> against;
  if (options.against) {
    ASSAY_TRY(other, open_profile(*options.against, options.input));
    const auto* events = std::get_if<trace::Trace>(&*other);
    if (events == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} holds no events to compare with", options.against->string()));
    }
    against.emplace(*events, classifier);
    ask.against = &*against;
  }
  ASSAY_TRY(trace::Report report, trace::ask(analysis, options.ask, ask));
  trace::limit_rows(report, limit_of(options));
  return report;
}

Result<void> emit(trace::Analysis& analysis, const AnalyzeOptions& options) {
  const std::size_t count = options.top_kernels == 0 ? 5 : options.top_kernels;
  ASSAY_TRY(trace::PickPlan plan,
            trace::pick_kernels(analysis, count, options.range, rule_of(options)));
  plan.set = options.ncu_set;
  if (plan.picks.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("{} holds no kernels {}to hand on to ncu", plan.source,
                            options.range.empty() ? "" : "in that range "));
  }
  if (options.emit.empty()) {
    return write({.title = plan.source, .tables = {trace::pick_table(plan)}}, options);
  }
  const bool yaml = options.emit == "yaml";
  const std::string text = yaml ? ncu_yaml(plan) : ncu_script(plan);
  if (!options.output.file) {
    fmt::print("{}", text);
    return {};
  }
  if (auto done = write_file_atomically(*options.output.file, text); !done || yaml) return done;
  // The plan goes beside the commands: kernels.sh and kernels.yaml.
  auto beside = *options.output.file;
  return write_file_atomically(beside.replace_extension(".yaml"), ncu_yaml(plan));
}

Result<int> written(const trace::Report& report, const AnalyzeOptions& options) {
  if (auto done = write(report, options); !done) return std::unexpected(std::move(done).error());
  return kSuccess;
}

/// Whether an answer was asked for and the profile does not support one.
bool abstains(const trace::Report& report) {
  return !report.findings.empty() && report.findings.front().kind == trace::FindingKind::abstention;
}

Result<trace::Report> report_on(trace::Analysis& analysis, const trace::OpClassifier& classifier,
                                const AnalyzeOptions& options) {
  if (!options.ask.empty()) return answer(analysis, classifier, options);
  if (!options.mfu.stages.empty()) return mfu_report(analysis, options.mfu, rule_of(options));
  return trace::make_report(analysis, report_options(options));
}

Result<int> analyze_events(const trace::Trace& events, const AnalyzeOptions& options) {
  ASSAY_TRY(const trace::OpClassifier classifier, classifier_of(options));
  trace::Analysis analysis(events, classifier);
  if (options.top_kernels > 0 || !options.emit.empty()) {
    if (auto done = emit(analysis, options); !done) return std::unexpected(std::move(done).error());
    return kSuccess;
  }
  ASSAY_TRY(const trace::Report report, report_on(analysis, classifier, options));
  if (auto done = write(report, options); !done) return std::unexpected(std::move(done).error());
  return !options.ask.empty() && abstains(report) ? kRejected : kSuccess;
}

Result<int> analyze_sums(const trace::StatsFile& stats, const AnalyzeOptions& options) {
  if (!options.ask.empty() || options.top_kernels > 0 || !options.emit.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} holds only sums: questions and launches need the profile that the "
                            "sums were made from",
                            stats.file));
  }
  ASSAY_TRY(const trace::OpClassifier classifier, classifier_of(options));
  ASSAY_TRY(const trace::Report report,
            trace::make_report(stats, classifier, report_options(options)));
  return written(report, options);
}

Result<int> analyze_counters(const trace::NcuReport& counters, const AnalyzeOptions& options) {
  if (!options.ask.empty() || !options.range.empty() || options.top_kernels > 0) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format(
            "{} is a report of Nsight Compute: it holds single kernels and no timeline to ask",
            options.file.string()));
  }
  trace::Report report;
  if (options.mfu.stages.empty()) {
    ASSAY_TRY(report, trace::analyze_ncu(counters, options.file.string(), options.ncu));
  } else {
    ASSAY_TRY(const trace::MfuPeak peak, peak_of(options.mfu, ""));
    ASSAY_TRY(report, trace::counted_mfu(counters, peak));
  }
  trace::limit_rows(report, limit_of(options));
  return written(report, options);
}

Result<int> analyze(const AnalyzeOptions& options) {
  if (options.mfu.list_devices) {
    return written({.title = "Devices with known peaks", .tables = {trace::device_table()}},
                   options);
  }
  if (options.file.empty()) return fail(ErrorCode::invalid_argument, "no profile was given");
  ASSAY_TRY(const Profile profile, open_profile(options.file, options.input));
  if (const auto* events = std::get_if<trace::Trace>(&profile)) {
    return analyze_events(*events, options);
  }
  if (const auto* stats = std::get_if<trace::StatsFile>(&profile)) {
    return analyze_sums(*stats, options);
  }
  return analyze_counters(std::get<trace::NcuReport>(profile), options);
}

std::string reports_help() {
  std::string text = "What to show (repeatable; default: an overview). One of all";
  for (const trace::ReportName& report : trace::report_names()) {
    text += fmt::format(", {}", report.name);
  }
  return text;
}

std::string questions_help() {
  std::string text = "Questions:";
  for (const trace::QuestionName& question : trace::questions()) {
    text += fmt::format("\n  {:<16}{}", question.name, question.question);
  }
  text += "\nReports:";
  for (const trace::ReportName& report : trace::report_names()) {
    text += fmt::format("\n  {:<18}{}", report.name, report.what);
  }
  return text;
}

void add_question_options(CLI::App& command, AnalyzeOptions& options) {
  command.add_option("--ask", options.ask, "A question, by name or in words (see below)")
      ->group("Questions");
  command.add_option("--against", options.against, "Another profile to compare with")
      ->check(CLI::ExistingFile)
      ->group("Questions");
  command
      .add_option("--against-range", options.against_range,
                  "The range to compare with; 'A + B' takes both")
      ->group("Questions");
  command
      .add_option("--measured", options.measured,
                  "A time that you measured yourself, such as 77.6ms")
      ->group("Questions");
  command
      .add_option("--tolerance", options.tolerance_pct,
                  "Within how many percent a measured time agrees")
      ->capture_default_str()
      ->group("Questions");
  command
      .add_option("--shape", options.shape,
                  "One call of attention: batch=4,heads=12,seq=512,head_dim=64")
      ->group("Questions");
}

void add_ncu_options(CLI::App& command, AnalyzeOptions& options) {
  const auto group = "Nsight Compute";
  command.add_option("--section", options.ncu.sections, "A section, by id or name (repeatable)")
      ->group(group);
  command.add_option("--metric", options.ncu.metrics, "A metric, with * for any text (repeatable)")
      ->group(group);
  command.add_flag("--bodies", options.ncu.section_bodies, "Sections with their tables and charts")
      ->group(group);
  command
      .add_flag("--source", options.ncu.source,
                "Source lines and instructions, with why warps wait there")
      ->group(group);
  command.add_flag("--list-sections", options.ncu.list_sections, "Which sections there are")
      ->group(group);
  command
      .add_flag("--all-rules", options.ncu.all_rules, "Also what the rules found to be in order")
      ->group(group);
}

void add_report_options(CLI::App& command, AnalyzeOptions& options) {
  command.add_option("--report", options.reports, reports_help());
  command.add_option("--range", options.range,
                     "Only what was launched inside this range; 'A > B' is B inside A");
  command
      .add_option("--rule", options.rule,
                  "Which kernels a range holds: those its own thread launched, or those of other "
                  "threads too")
      ->check(CLI::IsMember({"same-thread", "both"}))
      ->capture_default_str();
  command.add_option("--names", options.names, "Kernel names to show")
      ->check(CLI::IsMember({"demangled", "short"}))
      ->capture_default_str();
  command.add_flag("--raw-range-names", options.input.raw_range_names,
                   "Keep endings such as ', op_id = 7' in range names");
  command.add_option("--iteration", options.iteration, "The range that is an iteration");
  command
      .add_option(
          "--classes", options.classes,
          "A file of rules that put kernels into classes; they come before the built-in ones")
      ->check(CLI::ExistingFile);
  command.add_option("--limit", options.limit, "Rows of each table; 0 for all")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1'000'000'000}));
}

}  // namespace

void add_analyze(CLI::App& app) {
  auto* command = app.add_subcommand(
      "analyze", "Say what a profile of Nsight Systems, Nsight Compute or PyTorch holds");
  auto options = std::make_shared<AnalyzeOptions>();  // shared with the callback
  command->add_option("file", options->file, "The profile");
  add_report_options(*command, *options);
  add_question_options(*command, *options);
  add_mfu_flags(*command, options->mfu);
  add_ncu_options(*command, *options);
  command
      ->add_option("--top-kernels", options->top_kernels,
                   "Choose the kernels with the most time, and of each a launch to look at")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))
      ->group("Going on with ncu");
  command
      ->add_option(
          "--emit", options->emit,
          "Write that choice as ncu commands (with -o, a YAML plan beside them) or as YAML")
      ->check(CLI::IsMember({"ncu", "yaml"}))
      ->group("Going on with ncu");
  command
      ->add_option("--ncu-set", options->ncu_set,
                   "What ncu collects: basic takes few passes, full collects everything")
      ->check(CLI::IsMember({"basic", "detailed", "full", "roofline"}))
      ->capture_default_str()
      ->group("Going on with ncu");
  command->add_option("--format", options->output.format, "table, json, csv, markdown or html")
      ->capture_default_str();
  command->add_option("-o,--output", options->output.file, "Write to this file");
  command->add_option("--nsys", options->input.nsys, "Where nsys is, to read a .nsys-rep")
      ->envname("ASSAY_NSYS");
  command->footer(
      questions_help() +
      "\nExamples:\n  assay analyze report.nsys-rep\n  assay analyze trace.json --format html -o "
      "page.html\n"
      "Exit codes: 0 done, 1 the profile does not support an answer, 2 wrong usage or "
      "input, 3 failure.");
  command->callback([options] {
    const auto code = analyze(*options);
    throw CLI::RuntimeError(code ? *code : report(code.error()));
  });
}

}  // namespace assay::cli
