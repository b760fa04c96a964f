#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::profile {

/// A program that can record another one.
struct Engine {
  std::string name;  // "nsys", "ncu"
  std::optional<std::filesystem::path> path;
  std::string told;     // where it is, or that and where it was looked for
  bool broken = false;  // it is there, and cannot do what it is for

  [[nodiscard]] bool works() const { return path && !broken; }
};

/// Looks for nsys and ncu on `path` (as PATH is written) and where their installers put them.
[[nodiscard]] std::vector<Engine> find_engines(std::string_view path);

/// compute-sanitizer, which comes with the CUDA toolkit.
[[nodiscard]] Engine find_sanitizer(std::string_view path);

/// Which part of a run is recorded; all of it where nothing is set.
struct Gates {
  /// From the first time it opens to the end of it: NAME or NAME@DOMAIN. \@ is an @ of the name.
  std::string nvtx_range;
  bool cuda_profiler = false;  // between cudaProfilerStart and cudaProfilerStop
  std::optional<double> delay_s;
  std::optional<double> duration_s;
  std::string ranks;  // of a distributed program: "0,3"; empty: all

  [[nodiscard]] bool any() const {
    return !nvtx_range.empty() || cuda_profiler || delay_s || duration_s;
  }
};

/// Fails with `invalid_argument` where two gates exclude each other or a time is none.
[[nodiscard]] Result<void> check(const Gates& gates);

/// The range as nsys takes it: it drops every @ but the last unless a backslash stands before.
[[nodiscard]] std::string nsys_range(std::string_view range);
/// The range without those backslashes.
[[nodiscard]] std::string plain_range(std::string_view range);

/// nsys around a program. The report is `output` with nsys's extension.
[[nodiscard]] std::vector<std::string> nsys_command(const std::filesystem::path& nsys,
                                                    const Gates& gates,
                                                    const std::filesystem::path& output,
                                                    const std::vector<std::string>& program);

}  // namespace assay::profile
