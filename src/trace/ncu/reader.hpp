#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "trace/ncu/report.hpp"

namespace assay::trace {

/// Whether `read_ncu` reads a file that starts with these bytes. That is an `.ncu-rep`, or CSV
/// output of the tool whose header is among the bytes.
[[nodiscard]] bool looks_like_ncu(std::string_view start);

/// Reads any of Nsight Compute's outputs, told apart by content.
[[nodiscard]] Result<NcuReport> parse_ncu(std::string_view bytes);
[[nodiscard]] Result<NcuReport> read_ncu(const std::filesystem::path& path);

}  // namespace assay::trace
