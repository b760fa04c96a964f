#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/default_data_dir.hpp"
#include "cli/profile_input.hpp"
#include "cli/signals.hpp"
#include "profile/run_manager.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/reports.hpp"
#include "trace/events/events.hpp"
#include "trace/render.hpp"
#include "trace/table.hpp"

namespace assay::cli {
namespace {

struct ProfileCommand {
  profile::ProfileOptions options;
  std::vector<std::string> command;
};

/// findings.json and report.html beside the timeline; what stands out, to be told.
Result<std::string> analyse(const std::filesystem::path& timeline,
                            const std::filesystem::path& folder) {
  ASSAY_TRY(const Profile profile, open_profile(timeline, {}));
  const auto* events = std::get_if<trace::Trace>(&profile);
  if (events == nullptr) return fail(ErrorCode::invalid_argument, "it holds no events");
  const trace::OpClassifier classifier;
  trace::Analysis analysis(*events, classifier);
  ASSAY_TRY(trace::Report report, trace::make_report(analysis, {.limit = 200, .figures = true}));
  auto done =
      write_file_atomically(folder / "report.html", trace::render(report, trace::Format::html));
  if (!done) return std::unexpected(std::move(done).error());
  done =
      write_file_atomically(folder / "findings.json", trace::render(report, trace::Format::json));
  if (!done) return std::unexpected(std::move(done).error());
  std::string told;
  for (const trace::Finding& finding : report.findings) {
    if (finding.name != "profiler_warning") told += fmt::format("  {}\n", finding.message);
  }
  return told;
}

Result<int> run_profile(ProfileCommand& options) {
  if (options.command.empty()) {
    return fail(ErrorCode::invalid_argument,
                "no program was given: assay profile [options] -- COMMAND...");
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    options.options.environment.emplace_back(*entry);
  }
  const char* path = std::getenv("PATH");
  options.options.search_path = path == nullptr ? "" : path;
  options.options.data = default_data_dir() / "tracer";
  const SystemClock clock;
  const SignalStop stop;
  const auto progress = [](std::chrono::seconds so_far) {
    fmt::print(stderr, "assay: running, {} s\n", so_far.count());
  };
  ASSAY_TRY(const profile::FinishedRun run,
            profile::profile_run(options.command, options.options, stop.token(), clock, progress,
                                 &analyse));
  fmt::print(stderr, "assay: the run is in {}\n", run.folder.string());
  for (const std::string& note : run.notes) fmt::print(stderr, "assay: {}\n", note);
  fmt::print(stderr, "{}", run.findings);
  return run.ended.exit_code;
}

}  // namespace

void add_profile(CLI::App& app) {
  auto* command = app.add_subcommand(
      "profile", "Run a program and keep its timeline, logs and findings in a folder");
  auto options = std::make_shared<ProfileCommand>();  // shared with the callback
  options->options.root = "assay-runs";
  command->add_option("command", options->command, "The program and its arguments, after --");
  command->add_option("--runs", options->options.root, "The folder that runs are kept in")
      ->envname("ASSAY_RUNS")
      ->capture_default_str();
  command
      ->add_option(
          "--engine", options->options.engine,
          "What records the timeline: nsys, or a tracer of our own that needs CUPTI alone; "
          "auto takes nsys where it works")
      ->check(CLI::IsMember({"auto", "nsys", "tracer", "none"}))
      ->capture_default_str();
  command->add_option("--nvtx-range", options->options.gates.nvtx_range,
                      "Record only this range: NAME or NAME@DOMAIN");
  command->add_flag("--cuda-profiler-api", options->options.gates.cuda_profiler,
                    "Record only between cudaProfilerStart and cudaProfilerStop");
  command->add_option("--delay", options->options.gates.delay_s, "Seconds before recording begins");
  command->add_option("--duration", options->options.gates.duration_s, "Seconds to record");
  command->footer(
      "Ctrl-C ends the program and keeps what was recorded. The exit code is the program's; 2 "
      "wrong "
      "usage, 3 failure.");
  command->callback([options] {
    const auto code = run_profile(*options);
    throw CLI::RuntimeError(code ? *code : report(code.error()));
  });
}

}  // namespace assay::cli
