#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"

namespace assay::trace {

/// Makes one timeline of those that several processes of a run left, all in Nsight Systems' tables
/// and on one clock. What a killed process had not finished to write is taken back. One file is
/// moved; of several, copies are joined and they stay. GPUs are told apart by their ids, whatever
/// number each process has for them.
[[nodiscard]] Result<void> join_timelines(const std::vector<std::filesystem::path>& files,
                                          const std::filesystem::path& output);

}  // namespace assay::trace
