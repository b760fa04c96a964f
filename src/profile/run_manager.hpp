#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profile/clock_log.hpp"
#include "profile/engines.hpp"
#include "profile/program.hpp"

namespace assay::profile {

struct ProfileOptions {
  std::filesystem::path root;   // where runs are kept
  std::string engine = "auto";  // nsys, tracer, none, or what is there
  std::filesystem::path data;   // where the tracer is unpacked; empty: in the run's folder
  Gates gates;
  std::vector<std::string> environment;  // as environ gives it
  std::string search_path;               // PATH
  /// What else was asked for, kept in the manifest under these keys.
  std::vector<std::pair<std::string, std::string>> asked;
  ReadClocks clocks;  // of the GPUs, while the program runs; empty: not read
};

/// Makes of a timeline what a run keeps: findings and a page. Gives what to tell the user.
using Analyse = std::function<Result<std::string>(const std::filesystem::path& timeline,
                                                  const std::filesystem::path& folder)>;

struct FinishedRun {
  std::filesystem::path folder;
  Ended ended;
  std::vector<std::string> notes;                 // what was asked for and not done
  std::optional<std::filesystem::path> timeline;  // none: nothing was recorded, or not readably
  std::string findings;                           // what the analysis tells
};

/// The timeline of a run in its folder: what nsys wrote, its export beside it, or the tracer's.
[[nodiscard]] std::optional<std::filesystem::path> timeline_in(const std::filesystem::path& folder);

/// Runs a program, recorded by an engine where there is one, and leaves a folder. The folder holds
/// manifest.json, logs, the timeline, findings.json and report.html. manifest.json is there from
/// the start, so that a crash leaves it too. Fails if the folder cannot be made, if the engine
/// asked for is not there, or if the program cannot be started. A program that fails is a finished
/// run.
[[nodiscard]] Result<FinishedRun> profile_run(const std::vector<std::string>& command,
                                              const ProfileOptions& options,
                                              const std::stop_token& stop, const Clock& clock,
                                              const Progress& progress, const Analyse& analyse);

}  // namespace assay::profile
