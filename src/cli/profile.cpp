#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
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
#include "cli/gpu_clocks.hpp"
#include "cli/mfu_flags.hpp"
#include "cli/profile_sweep.hpp"
#include "cli/report_request.hpp"
#include "cli/run_report.hpp"
#include "cli/say.hpp"
#include "cli/signals.hpp"
#include "cli/then_ncu.hpp"
#include "profile/manifest.hpp"
#include "profile/run_manager.hpp"
#include "profile/run_store.hpp"
#include "trace/analysis/stages.hpp"
#include "trace/model_flops.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKernels = 1000;  // each takes a run of the program

struct ProfileCommand {
  profile::ProfileOptions options;
  std::vector<std::string> command;
  ReportRequest request;
  std::string resume;
  std::vector<std::string> sweep;
};

/// What is checked before a program runs for hours.
struct Prepared {
  RunReportOptions report;
  fs::path ncu;  // empty: nothing is counted
};

Result<void> check_stages(const std::vector<trace::Stage>& stages, const MfuFlags& peak) {
  if (auto known = peak_of(peak, ""); !known) return std::unexpected(std::move(known).error());
  for (const trace::Stage& stage : stages) {
    const bool modelled = stage.work && stage.work->shape.kind != trace::StageKind::counted;
    if (!modelled || !peak.model.empty()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("--stages: {}: its work follows from the model's shape: give --model",
                            stage.name));
  }
  return {};
}

Result<RunReportOptions> prepare(const ReportRequest& request) {
  RunReportOptions out{.peak = request.peak};
  if (!request.peak.model.empty()) {
    ASSAY_TRY(out.model, trace::parse_model_shape(request.peak.model));
  }
  if (!request.stages.empty()) {
    ASSAY_TRY(out.stages, trace::parse_stages(request.stages, out.model));
    if (auto done = check_stages(out.stages, request.peak); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  return out;
}

/// Counts kernels, or takes what was counted before, and writes the report anew with them.
Result<std::string> count_and_report(const ThenNcu& wanted, const profile::Gates& gates,
                                     Prepared& prepared, const fs::path& timeline,
                                     const fs::path& folder,
                                     const std::vector<std::string>& command,
                                     const std::stop_token& stop, const Clock& clock) {
  auto counted = count_kernels(wanted, prepared.ncu, gates, timeline, folder, command, stop, clock);
  if (!counted && counted.error().code() == ErrorCode::cancelled) {
    return fail(ErrorCode::cancelled,
                fmt::format("{}; 'assay profile --resume {} --then-ncu {}' goes on",
                            counted.error().message(), folder.filename().string(), wanted.kernels));
  }
  if (!counted) return std::unexpected(std::move(counted).error());
  prepared.report.counted = *std::move(counted);
  return write_run_report(timeline, folder, prepared.report);
}

Result<int> run_one(const ProfileCommand& options, Prepared prepared,
                    const std::vector<std::string>& command, const fs::path& root,
                    const std::stop_token& stop) {
  const SystemClock clock;
  const auto progress = [](std::chrono::seconds so_far) {
    say(stderr, "assay: running, {} s\n", so_far.count());
  };
  profile::ProfileOptions one = options.options;
  one.root = root;
  const auto analyse = [&](const fs::path& timeline, const fs::path& folder) {
    return write_run_report(timeline, folder, prepared.report);
  };
  ASSAY_TRY(profile::FinishedRun run,
            profile::profile_run(command, one, stop, clock, progress, analyse));
  say(stderr, "assay: the run is in {}\n", run.folder.string());
  if (run.ended.signal != 0 && !run.ended.stopped) {
    const char* what = sigdescr_np(run.ended.signal);
    say(stderr, "assay: the program was ended by signal {} ({})\n", run.ended.signal,
        what == nullptr ? "without a name" : what);
  }
  for (const std::string& note : run.notes) say(stderr, "assay: {}\n", note);
  if (!prepared.ncu.empty() && run.timeline && !run.ended.stopped) {
    ASSAY_TRY(run.findings,
              count_and_report(options.request.then_ncu, options.options.gates, prepared,
                               *run.timeline, run.folder, command, stop, clock));
  }
  say(stderr, "{}", run.findings);
  return run.ended.exit_code;
}

/// Goes on with a run that has its timeline: counts what is not counted yet, and reports anew what
/// was asked for now and before.
Result<int> go_on(const ProfileCommand& options, Prepared prepared, const std::stop_token& stop) {
  const SystemClock clock;
  ASSAY_TRY(const profile::RunRecord run,
            profile::RunStore(options.options.root).find(options.resume));
  const fs::path described = run.folder / profile::kManifest;
  ASSAY_TRY(std::string manifest, read_file(described));
  const profile::Gates gates = profile::manifest_gates(manifest);
  ReportRequest request = options.request;
  fill_in(request, manifest);
  ASSAY_TRY(prepared.report, prepare(request));
  if (!prepared.ncu.empty()) {
    ASSAY_TRY(prepared.ncu, check(request.then_ncu, gates, options.options.search_path));
  }
  const std::vector<std::string> command =
      options.command.empty() ? profile::manifest_list(manifest, "command") : options.command;
  const auto timeline = profile::timeline_in(run.folder);
  if (!timeline) {
    return fail(ErrorCode::not_found, fmt::format("run {} has no timeline to go on with", run.id));
  }
  for (const auto& [key, text] : texts_of(request)) {
    manifest = profile::manifest_with(std::move(manifest), key, text);
  }
  if (auto done = write_file_atomically(described, manifest); !done) {
    return std::unexpected(std::move(done).error());
  }
  Result<std::string> told = request.then_ncu.kernels == 0
                                 ? write_run_report(*timeline, run.folder, prepared.report)
                                 : count_and_report(request.then_ncu, gates, prepared, *timeline,
                                                    run.folder, command, stop, clock);
  if (!told) return std::unexpected(std::move(told).error());
  say(stderr, "assay: the run is in {}\n{}", run.folder.string(), *told);
  return kSuccess;
}

Result<int> run_profile(ProfileCommand& options) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    options.options.environment.emplace_back(*entry);
  }
  const char* path = std::getenv("PATH");
  options.options.search_path = path == nullptr ? "" : path;
  options.options.data = default_data_dir() / "tracer";
  options.options.clocks = clock_reader();
  options.options.asked = texts_of(options.request);
  Prepared prepared;
  ASSAY_TRY(prepared.report, prepare(options.request));
  if (options.request.then_ncu.kernels > 0) {
    ASSAY_TRY(prepared.ncu,
              check(options.request.then_ncu, options.options.gates, options.options.search_path));
  }
  const SignalStop stop;
  if (!options.resume.empty()) return go_on(options, std::move(prepared), stop.token());
  if (options.command.empty()) {
    return fail(ErrorCode::invalid_argument,
                "no program was given: assay profile [options] -- COMMAND...");
  }
  if (options.sweep.empty()) {
    return run_one(options, std::move(prepared), options.command, options.options.root,
                   stop.token());
  }
  const auto profile_point = [&](const std::vector<std::string>& command,
                                 const fs::path& root) -> Result<int> {
    if (stop.token().stop_requested()) return fail(ErrorCode::cancelled, "stopped");
    return run_one(options, prepared, command, root, stop.token());
  };
  return run_sweep(options.sweep, options.command, options.options.root, profile_point);
}

void add_gates(CLI::App& command, profile::ProfileOptions& options) {
  const char* group = "What to record";
  command
      .add_option("--nvtx-range", options.gates.nvtx_range,
                  "Record only this range: NAME or NAME@DOMAIN; \\@ for an @ of the name")
      ->group(group);
  command
      .add_flag("--cuda-profiler-api", options.gates.cuda_profiler,
                "Record only between cudaProfilerStart and cudaProfilerStop")
      ->group(group);
  command.add_option("--delay", options.gates.delay_s, "Seconds before recording begins")
      ->group(group);
  command.add_option("--duration", options.gates.duration_s, "Seconds to record")->group(group);
  command
      .add_option("--ranks", options.gates.ranks,
                  "Record only these ranks of a distributed program, as in 0,3; needs the tracer")
      ->group(group);
}

void add_ncu(CLI::App& command, ThenNcu& options) {
  const char* group = "Counting with ncu";
  command
      .add_option("--then-ncu", options.kernels,
                  "Have ncu count this many kernels, those with the most time; each takes a run of "
                  "the program")
      ->check(CLI::Range(std::size_t{0}, kMostKernels))
      ->group(group);
  command
      .add_option("--ncu-set", options.set,
                  "What ncu collects: basic takes few passes, full collects everything")
      ->check(CLI::IsMember({"basic", "detailed", "full", "roofline"}))
      ->default_str("full")
      ->group(group);
  command.add_option("--ncu-range", options.range, "Count only kernels launched inside this range")
      ->group(group);
  command.add_option("--ncu", options.ncu, "Where ncu is")->envname("ASSAY_NCU")->group(group);
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
      ->add_option("--engine", options->options.engine,
                   "What records the timeline: nsys, or tracer, which is our own and needs only "
                   "CUPTI. auto takes nsys if it works")
      ->check(CLI::IsMember({"auto", "nsys", "tracer", "none"}))
      ->capture_default_str();
  command
      ->add_option("--sweep", options->sweep,
                   "Run the program with each value in place of {name} (repeatable): "
                   "'batch=1,8,32'. The same command, given again, goes on where it stopped")
      ->allow_extra_args(false);  // else it would take what follows it, and the -- with it
  command->add_option("--resume", options->resume,
                      "Go on with a run that has its timeline: its id, a beginning of it, or last");
  add_gates(*command, options->options);
  add_ncu(*command, options->request.then_ncu);
  command
      ->add_option("--stages", options->request.stages,
                   "Ranges that are stages, each with the work of one run if that is known: "
                   "'forward:flop=3.2e12; backward:range=bwd,flop=6.4e12; optimizer'")
      ->group("Utilisation");
  add_peak_flags(*command, options->request.peak);
  command->footer(
      "Examples:\n  assay profile python train.py\n"
      "Ctrl-C ends the program and keeps what was recorded. The exit code is the program's; 2 "
      "wrong usage, 3 failure. A sweep ends with 1 if a point of it failed.");
  command->callback([options] {
    const auto code = run_profile(*options);
    throw CLI::RuntimeError(code ? *code : report(code.error()));
  });
}

}  // namespace assay::cli
