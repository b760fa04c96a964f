#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace assay::profile {

/// How a program ended.
struct Ended {
  int exit_code = 0;     // as a shell gives it: 128 and the signal where one ended it
  int signal = 0;        // 0: none
  bool stopped = false;  // we were asked to stop it
  std::chrono::nanoseconds took{};
};

/// Called every few seconds while the program runs.
using Progress = std::function<void(std::chrono::seconds so_far)>;

/// A program to run, in the current folder and environment.
struct ProgramRun {
  std::vector<std::string> argv;
  std::vector<std::string> more_environment;  // "NAME=value", added or instead
  std::filesystem::path output;               // what it prints
  std::filesystem::path errors;
  bool show = true;  // that, on our own output too
};

/// Runs the user's own program, and keeps what it prints in the two files. A stop request is passed
/// on as SIGINT. So the program, or the profiler around it, can finish what it writes. It is killed
/// if it does not end in half a minute. Fails with `not_found` where there is no such program.
[[nodiscard]] Result<Ended> run_program(const ProgramRun& program, const std::stop_token& stop,
                                        const Clock& clock, const Progress& progress);

}  // namespace assay::profile
