#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace assay::process {

/// For how long so far some process of this machine was ready to run while others had the
/// processors. Nothing where Linux keeps no account of it. `proc` is for tests.
[[nodiscard]] std::optional<std::chrono::nanoseconds> processor_pressure(
    const std::filesystem::path& proc = "/proc");

}  // namespace assay::process
