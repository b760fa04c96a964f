#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.hpp"

namespace assay::cli {

/// What evaluate and compare take: a whole request as a file, or its parts.
struct RequestFlags {
  std::optional<std::filesystem::path> request;    // the JSON body of POST /v1/jobs
  std::optional<std::filesystem::path> reference;  // compare only
  std::optional<std::filesystem::path> candidate;
  std::optional<std::filesystem::path> io;  // the contract, for both kernels
  std::optional<std::string> type;          // absent: by the file's ending
  std::optional<std::string> kernel_name;
  std::optional<std::string> num_trials;  // a number or "auto"
  std::optional<std::string> timing_mode;
  std::optional<double> threshold;
  std::optional<int> timeout;
  std::optional<int> rounds;
  std::optional<double> atol;
  std::optional<double> rtol;
  std::optional<std::string> seed;  // as `provenance.seed` shows it, or a number
  std::optional<std::string> device;
  std::vector<std::string> sanitize;
};

void add_request_flags(CLI::App& command, RequestFlags& flags, bool with_reference);

/// The body to submit: the request's file under what the flags say, so that --candidate beside it
/// judges another source by the same contract. Fails with `invalid_argument` saying which flag is
/// missing, or with why a file cannot be read.
[[nodiscard]] Result<std::string> request_body(const RequestFlags& flags, bool with_reference);

}  // namespace assay::cli
