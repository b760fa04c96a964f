#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.hpp"

namespace assay::cli {

/// What evaluate, compare and watch take: a whole request as a file, or its parts. A path "-" is
/// standard input.
struct RequestFlags {
  std::vector<std::string> files{};  // a request, or REFERENCE CANDIDATE, or CANDIDATE
  std::optional<std::filesystem::path> reference{};
  std::optional<std::filesystem::path> candidate{};
  std::optional<std::filesystem::path> io{};      // the candidate's contract
  std::optional<std::filesystem::path> ref_io{};  // the reference's; absent: see request_body
  std::optional<std::string> type{};              // absent: by the file's ending and content
  std::optional<std::string> ref_type{};
  std::optional<std::string> kernel_name{};
  std::optional<std::string> ref_kernel_name{};
  std::optional<std::string> name{};        // what lists call the job
  std::optional<std::string> num_trials{};  // a number or "auto"
  std::optional<std::string> timing_mode{};
  std::optional<double> threshold{};
  std::optional<int> timeout{};
  std::optional<int> rounds{};
  std::optional<double> atol{};
  std::optional<double> rtol{};
  std::optional<std::string> seed{};  // as `provenance.seed` shows it, or a number
  std::optional<std::string> device{};
  std::vector<std::string> allow{};  // precisions lower than the reference's
  std::vector<std::string> require{};
  std::vector<std::string> sanitize{};
  bool strict = false;
  bool judge_speed = false;
};

void add_request_flags(CLI::App& command, RequestFlags& flags, bool with_reference);

/// The body to submit: the request's file, changed by what the flags say. So a source beside the
/// file is judged by the same contract. A source that needs a contract and is given none takes the
/// file NAME.io.json beside it. A reference without a contract takes the candidate's. A Python
/// reference takes only the arguments that its `forward` names. Fails with `invalid_argument`
/// saying what is missing, or with why a file cannot be read.
[[nodiscard]] Result<std::string> request_body(const RequestFlags& flags, bool with_reference);

/// The files that the body is made of, to watch for changes.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const RequestFlags& flags);

}  // namespace assay::cli
