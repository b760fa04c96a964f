#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profile/engines.hpp"
#include "trace/analysis/counted_picks.hpp"

namespace assay::cli {

/// What to count after a timeline was recorded.
struct ThenNcu {
  std::size_t kernels = 0;                   // so many, with the most time; 0: nothing is counted
  std::string set;                           // empty: full
  std::optional<std::filesystem::path> ncu;  // found where it is not given
  std::string range;                         // of kernels launched inside alone
};

/// Checks before a program runs for hours. Fails with `invalid_argument` if these gates would make
/// it impossible to find a launch of the timeline again. Fails with `not_found` if there is no ncu.
[[nodiscard]] Result<std::filesystem::path> check(const ThenNcu& wanted,
                                                  const profile::Gates& gates,
                                                  const std::string& search_path);

/// Runs the program again under `ncu`, once for each kernel and grid that matters in the run's
/// timeline. Standard error says which. With an empty `ncu`, it takes what was counted before.
[[nodiscard]] Result<std::vector<trace::CountedPick>> count_kernels(
    const ThenNcu& wanted, const std::filesystem::path& ncu, const profile::Gates& gates,
    const std::filesystem::path& timeline, const std::filesystem::path& folder,
    const std::vector<std::string>& command, const std::stop_token& stop, const Clock& clock);

}  // namespace assay::cli
