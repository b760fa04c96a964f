#pragma once

#include <CLI/CLI.hpp>

#include "base/error.hpp"

namespace assay::cli {

// What `assay` exits with.
inline constexpr int kSuccess = 0;   // done; of evaluate and compare: accepted
inline constexpr int kRejected = 1;  // the submission got another verdict
inline constexpr int kUsage = 2;     // the command line or the input is wrong
inline constexpr int kFailure = 3;   // a failure of ours, or the server cannot be reached

/// Prints "assay: message" to standard error and returns the exit code that fits.
[[nodiscard]] int report(const Error& error);

/// Each adds one subcommand. Its callback ends by throwing CLI::RuntimeError with the exit code,
/// which is how CLI11 carries one to main.
void add_serve(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_compare(CLI::App& app);
void add_watch(CLI::App& app);
void add_init(CLI::App& app);
void add_profile_kernel(CLI::App& app);
void add_jobs(CLI::App& app);
void add_analyze(CLI::App& app);
void add_diff(CLI::App& app);
void add_profile(CLI::App& app);
void add_runs(CLI::App& app);
void add_metrics(CLI::App& app);
void add_doctor(CLI::App& app);
void add_setup(CLI::App& app);
void add_completions(CLI::App& app);
void add_version(CLI::App& app);
void add_token(CLI::App& app);
void add_fsck(CLI::App& app);
void add_worker(CLI::App& app);
void add_hold_clocks(CLI::App& app);
void add_judge_check(CLI::App& app);

/// The whole command line.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace assay::cli
