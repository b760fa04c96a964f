#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace assay::tracer {

// The variables that `assay profile` sets for a program and all that it starts.
inline constexpr const char* kFolderVariable = "ASSAY_TRACER_FOLDER";
inline constexpr const char* kEpochVariable = "ASSAY_TRACER_EPOCH_NS";
inline constexpr const char* kCuptiVariable = "ASSAY_TRACER_CUPTI";
inline constexpr const char* kBufferVariable = "ASSAY_TRACER_BUFFER_MB";
inline constexpr const char* kPeriodVariable = "ASSAY_TRACER_PERIOD_MS";
inline constexpr const char* kRanksVariable = "ASSAY_TRACER_RANKS";
inline constexpr const char* kRangeVariable = "ASSAY_TRACER_RANGE";
inline constexpr const char* kProfilerVariable = "ASSAY_TRACER_PROFILER_API";
inline constexpr const char* kDelayVariable = "ASSAY_TRACER_DELAY_MS";
inline constexpr const char* kDurationVariable = "ASSAY_TRACER_DURATION_MS";

/// What to record, and where it goes.
struct Settings {
  std::filesystem::path folder;  // one file for each process, and a log beside it
  std::int64_t epoch = 0;        // nanoseconds since 1970 that are 0 in every file
  std::string cupti;             // a file to open where the process has no CUPTI; empty: look
  std::size_t buffer_bytes = std::size_t{64} << 20U;  // that wait to be written, at most
  std::chrono::milliseconds period{500};              // between two writes

  std::string rank;   // of a distributed program, as its launcher tells; empty: none
  std::string range;  // record this range alone: NAME or NAME@DOMAIN
  bool profiler_calls = false;
  std::optional<std::chrono::milliseconds> delay;
  std::optional<std::chrono::milliseconds> duration;
};

/// Nothing if no folder is named, or if only other ranks are wanted. The library then records
/// nothing.
[[nodiscard]] std::optional<Settings> settings_of_environment();

}  // namespace assay::tracer
