#include "profile/run_manager.hpp"

#include <chrono>
#include <expected>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "profile/clock_log.hpp"
#include "profile/engines.hpp"
#include "profile/manifest.hpp"
#include "profile/program.hpp"
#include "profile/run_store.hpp"
#include "profile/tracer_engine.hpp"
#include "trace/events/nsys_join.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTracerFolder = "tracer";  // a timeline and a log for each process

/// Unpacks the tracer and has the program load it.
Result<void> choose_tracer(const ProfileOptions& options, const fs::path& folder,
                           const Clock& clock, Manifest& manifest) {
  const fs::path output = folder / kTracerFolder;
  auto library = unpack_tracer(options.data.empty() ? output : options.data);
  if (!library) library = unpack_tracer(output);  // a home that cannot be written to
  if (!library) return std::unexpected(std::move(library).error());
  std::error_code error;
  fs::create_directories(output, error);
  const auto epoch =
      std::chrono::duration_cast<std::chrono::nanoseconds>(clock.wall_now().time_since_epoch());
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const auto before = manifest.environment.find(name);
    if (before == manifest.environment.end()) continue;
    manifest.notes.push_back(
        fmt::format("{} was {}: another tool asked to be loaded, and the tracer is instead", name,
                    before->second));
  }
  manifest.added_environment = tracer_environment(fs::absolute(*library), fs::absolute(output),
                                                  epoch.count(), options.gates);
  return {};
}

/// Decides what records, and notes what will not be done.
Result<void> choose_engine(const ProfileOptions& options, const fs::path& folder,
                           const Clock& clock, Manifest& manifest) {
  manifest.engines = find_engines(options.search_path);
  const Engine& nsys = manifest.engines.front();
  manifest.engine = options.engine;
  if (options.engine == "auto") manifest.engine = nsys.works() ? "nsys" : "tracer";
  if (manifest.engine == "nsys") {
    if (!nsys.path) {
      return fail(ErrorCode::not_found, fmt::format("--engine nsys: {}", nsys.told));
    }
    if (!options.gates.ranks.empty()) {
      manifest.notes.emplace_back("--ranks needs --engine tracer: nsys records every rank");
    }
    manifest.recorded =
        nsys_command(*nsys.path, options.gates, folder / "timeline", manifest.command);
    return {};
  }
  manifest.recorded = manifest.command;
  if (manifest.engine == "tracer") return choose_tracer(options, folder, clock, manifest);
  if (options.gates.any()) {
    manifest.notes.emplace_back(
        "what to record was limited, and nothing records: the limits have no effect");
  }
  return {};
}

/// Why no process left a timeline.
std::string nothing_recorded(const Ended& ended, const std::string& ranks) {
  constexpr int kBySignal = 128;  // above it, what a shell says of a program that a signal ended
  if (ended.stopped || ended.exit_code > kBySignal) {
    return "nothing was recorded: the program was ended before it used CUDA or NVTX, or before "
           "what it did was written";
  }
  if (!ranks.empty()) {
    return fmt::format("nothing was recorded: no process of the ranks {} used CUDA or NVTX", ranks);
  }
  return "nothing was recorded: the program used neither CUDA nor NVTX, or not through the "
         "driver's library (a program started as another user or in another container has not the "
         "variables that load the tracer)";
}

/// Makes one timeline of what the tracer left, and notes what it could not do.
void collect_traces(const fs::path& folder, const Ended& ended, const std::string& ranks,
                    std::vector<std::string>& notes) {
  const TracerOutput output = tracer_output(folder / kTracerFolder);
  notes.insert(notes.end(), output.problems.begin(), output.problems.end());
  if (output.timelines.empty()) {
    notes.push_back(nothing_recorded(ended, ranks));
    return;
  }
  auto joined = trace::join_timelines(output.timelines, folder / "timeline.sqlite");
  if (!joined) {
    notes.push_back(fmt::format("the timelines in {} could not be joined: {}", kTracerFolder,
                                joined.error().message()));
    return;
  }
  notes.insert(notes.end(), joined->begin(), joined->end());
}

}  // namespace

std::optional<fs::path> timeline_in(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"timeline.sqlite", "timeline.nsys-rep"}) {
    if (fs::exists(folder / name, error)) return folder / name;
  }
  return std::nullopt;
}

Result<FinishedRun> profile_run(const std::vector<std::string>& command,
                                const ProfileOptions& options, const std::stop_token& stop,
                                const Clock& clock, const Progress& progress,
                                const Analyse& analyse) {
  if (auto valid = check(options.gates); !valid) return std::unexpected(std::move(valid).error());
  Manifest manifest = describe_run(command, options.environment);
  manifest.gates = options.gates;
  manifest.asked = options.asked;
  const RunStore store(options.root);
  manifest.started = run_time(clock.wall_now());
  ASSAY_TRY(const fs::path folder, store.create(clock));
  const auto drop_folder = [&](Error error) -> Result<FinishedRun> {
    std::error_code ignored;
    fs::remove_all(folder, ignored);  // nothing ran
    return std::unexpected(std::move(error));
  };
  if (auto chosen = choose_engine(options, folder, clock, manifest); !chosen) {
    return drop_folder(std::move(chosen).error());
  }
  const RunningMark running(folder);
  std::error_code error;
  fs::create_directory(folder / "logs", error);
  auto written = write_file_atomically(folder / kManifest, manifest_json(manifest, nullptr));
  if (!written) return std::unexpected(std::move(written).error());
  ClockLog clocks(options.clocks);
  auto ended = run_program({.argv = manifest.recorded,
                            .more_environment = manifest.added_environment,
                            .output = folder / "logs" / "stdout.log",
                            .errors = folder / "logs" / "stderr.log"},
                           stop, clock, progress);
  manifest.clocks = clocks.finish();
  if (!ended) return drop_folder(std::move(ended).error());
  FinishedRun run{.folder = folder, .ended = *ended};
  if (manifest.engine == "tracer") {
    collect_traces(folder, *ended, options.gates.ranks, manifest.notes);
  }
  if (const auto timeline = timeline_in(folder)) {
    auto told = analyse(*timeline, folder);
    if (told) {
      run.timeline = timeline;
      run.findings = *std::move(told);
    } else {
      manifest.notes.push_back(
          fmt::format("the timeline could not be read: {}", told.error().message()));
    }
  } else if (manifest.engine == "nsys") {
    manifest.notes.emplace_back(
        "nsys left no timeline: see logs/stderr.log; a range that never opens records nothing");
  }
  written = write_file_atomically(folder / kManifest, manifest_json(manifest, &*ended));
  if (!written) return std::unexpected(std::move(written).error());
  run.notes = manifest.notes;
  return run;
}

}  // namespace assay::profile
