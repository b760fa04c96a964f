#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.hpp"

namespace assay {

/// MemTotal of `proc`/meminfo, in bytes.
[[nodiscard]] Result<std::uint64_t> total_memory(const std::filesystem::path& proc);

/// The memory that this process and its children may use: the machine's, or what the control group
/// of the process allows where that is less. `root` is the root of the file system, for tests.
[[nodiscard]] std::uint64_t machine_memory(const std::filesystem::path& root = "/");

/// What one evaluation may use of so much memory: a quarter, but at least 4 GiB, or half where a
/// machine has less than 8.
[[nodiscard]] std::uint64_t share_of_memory(std::uint64_t machine);

/// What the tensors of one kernel may hold on a device with so much memory: an eighth, but at least
/// 4 GiB, or a quarter where a device has less than 16. Both kernels have their own, and what is
/// expected lies beside them.
[[nodiscard]] std::uint64_t share_for_tensors(std::uint64_t memory);

}  // namespace assay
