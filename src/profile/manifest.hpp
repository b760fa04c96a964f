#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/clock_log.hpp"
#include "profile/engines.hpp"
#include "profile/program.hpp"

namespace assay::profile {

/// The file of a run that says what it was.
inline constexpr std::string_view kManifest = "manifest.json";

/// What a run was: enough to do it again and to know what it was done on.
struct Manifest {
  std::vector<std::string> command;   // the user's
  std::vector<std::string> recorded;  // what was really started, with the profiler in front
  std::vector<std::string> added_environment;  // to the user's, by us
  std::string working_directory;
  std::map<std::string, std::string> environment;
  std::string started;  // as RunStore names runs
  std::string host;
  std::string git_commit;            // of the working directory; empty: none
  std::vector<std::string> devices;  // "NVIDIA H200"; empty: the driver tells none
  std::string driver;
  std::vector<ClockRange> clocks;  // of the GPUs while it ran; empty: nothing told them
  std::vector<Engine> engines;
  std::string engine;  // that recorded, or "none"
  Gates gates;
  std::vector<std::pair<std::string, std::string>> asked;  // what else, each under its key
  std::vector<std::string> notes;  // what was asked for and not done, and why
};

/// What can be known before the program runs. `environment` is as environ gives it. Values whose
/// names suggest secrets are left out.
[[nodiscard]] Manifest describe_run(const std::vector<std::string>& command,
                                    const std::vector<std::string>& environment);

/// As JSON; `ended` is null while the program runs.
[[nodiscard]] std::string manifest_json(const Manifest& manifest, const Ended* ended);

/// A text or a number of our own manifest's top level by its key; empty where it has none.
[[nodiscard]] std::string manifest_text(std::string_view json, std::string_view key);

/// What was recorded alone, as our own manifest says it.
[[nodiscard]] Gates manifest_gates(std::string_view json);

/// Our own manifest with this text under a key of its top level, whether or not it has that key.
[[nodiscard]] std::string manifest_with(std::string json, std::string_view key,
                                        std::string_view text);

/// The texts of a list of our own manifest's top level, such as "command".
[[nodiscard]] std::vector<std::string> manifest_list(std::string_view json, std::string_view key);

}  // namespace assay::profile
