#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "model/artifact.hpp"
#include "process/jail_support.hpp"

namespace assay::compile {

/// The limit for one artifact; a job keeps at most four.
inline constexpr std::size_t kLargestArtifact = std::size_t{8} << 20U;

/// What a compiler left in `file`.
[[nodiscard]] Artifact ptx_artifact(const std::filesystem::path& file);

/// The code of a module, disassembled in a jail. Fails as run_compiler does.
[[nodiscard]] Result<Artifact> sass_artifact(const std::optional<std::filesystem::path>& nvdisasm,
                                             const std::filesystem::path& module,
                                             const process::JailSupport& jails,
                                             const Deadline& deadline, const std::stop_token& stop);

}  // namespace assay::compile
