#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace assay::trace {

/// What a file holds, by its first bytes; names lie.
enum class ProfileKind : std::uint8_t {
  nsys_sqlite,
  nsys_report,  // .nsys-rep or .qdrep
  nsys_stats,   // CSV of `nsys stats`
  kineto,
  ncu,  // a report or a CSV page of Nsight Compute
};

/// Fails with `not_found` where there is no file and `invalid_argument` where it is no profile.
[[nodiscard]] Result<ProfileKind> profile_kind(const std::filesystem::path& path);

/// The same of the file's beginning and name.
[[nodiscard]] Result<ProfileKind> profile_kind(std::string_view beginning,
                                               const std::filesystem::path& name);

}  // namespace assay::trace
