#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/engines.hpp"

namespace assay::profile {

/// The tracer that the binary carries, as a file under `folder` that programs can load. It is
/// written once for each version of it.
[[nodiscard]] Result<std::filesystem::path> unpack_tracer(const std::filesystem::path& folder);

/// "NAME=value" for a program and all that it starts. Each process leaves its timeline, and a log
/// of the tracer's own, in `output`. `epoch` is the moment that is time 0 in all of them.
[[nodiscard]] std::vector<std::string> tracer_environment(const std::filesystem::path& library,
                                                          const std::filesystem::path& output,
                                                          std::int64_t epoch, const Gates& gates);

/// What the tracer left.
struct TracerOutput {
  std::vector<std::filesystem::path> timelines;  // one for each process
  std::vector<std::string> problems;             // what it could not do, each said once
};
[[nodiscard]] TracerOutput tracer_output(const std::filesystem::path& output);

}  // namespace assay::profile
