#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compile/backend.hpp"
#include "process/run_captured.hpp"

namespace assay::compile {

/// The log with a line before it for each option that had no effect.
[[nodiscard]] std::string with_notes(const std::vector<std::string>& notes, std::string_view log);

/// The source's own fault, as the log tells.
[[nodiscard]] Compilation rejected(std::string log, bool lasting = true);

/// How a run that did not succeed looks to the submitter.
[[nodiscard]] Compilation failure_of(const process::CapturedRun& run, std::string log);

/// The jailed compiler owns its output directory: only a plain file of ours may leave it.
[[nodiscard]] bool is_plain_file(const std::filesystem::path& path);

}  // namespace assay::compile
