#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.hpp"
#include "cli/profile_input.hpp"
#include "trace/analysis/diff.hpp"

namespace assay::cli {

/// Two profiles, and how they are compared.
struct ProfileDiff {
  std::filesystem::path before;
  std::filesystem::path after;
  std::vector<std::string> fail_if;
  std::vector<std::string> metrics;  // of Nsight Compute
  std::vector<std::string> matches;
  std::string per;
  std::string range;
  std::string names = "demangled";
  trace::DiffOptions diff;
  InputOptions input;
  OutputOptions output;
  std::optional<std::size_t> limit;
};

/// Every option that says how profiles are compared, and what conditions may say; `options`
/// outlives `command`. The profiles themselves are the command's to ask for.
void add_diff_options(CLI::App& command, ProfileDiff& options);

/// Compares the profiles and writes the report. The exit code says whether a condition held.
[[nodiscard]] Result<int> compare_profiles(ProfileDiff options);

}  // namespace assay::cli
