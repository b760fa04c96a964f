#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace assay::profile {

/// A name in a command and the values to try for it.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
};

/// Reads "batch=1,8,32". Fails with `invalid_argument`.
[[nodiscard]] Result<SweepAxis> parse_axis(std::string_view text);

/// One choice of values.
struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> values;  // as the axes, in order
  std::string label;                 // "batch=8,length=512", fit for a folder
  std::vector<std::string> command;  // with the values in place
};

/// Every combination of values; the last axis changes first. Fails with `invalid_argument` if a
/// name does not stand in the command in braces: its values would change nothing.
[[nodiscard]] Result<std::vector<SweepPoint>> expand_sweep(const std::vector<SweepAxis>& axes,
                                                           const std::vector<std::string>& command);

/// Where a sweep is kept. The same command with the same names has the same folder. So a sweep goes
/// on where it stopped, and values that are added join those that were tried.
[[nodiscard]] std::filesystem::path sweep_folder(const std::filesystem::path& root,
                                                 const std::vector<SweepAxis>& axes,
                                                 const std::vector<std::string>& command);

}  // namespace assay::profile
