#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace assay {

/// MemTotal of `proc`/meminfo, in bytes.
[[nodiscard]] Result<std::uint64_t> total_memory(const std::filesystem::path& proc);

/// The memory that this process and its children may use. That is the machine's, or what the
/// control group of the process allows if that is less. `root` is the root of the file system, for
/// tests.
[[nodiscard]] std::uint64_t machine_memory(const std::filesystem::path& root = "/");

/// How much of a machine's memory one evaluation may use: a quarter, but at least 4 GiB. On a
/// machine with less than 8 GiB it is half.
[[nodiscard]] std::uint64_t share_of_memory(std::uint64_t machine);

/// How much the tensors of one kernel may hold on a device with so much memory: an eighth, but at
/// least 4 GiB. On a device with less than 16 GiB it is a quarter. Both kernels have tensors of
/// their own, and the expected outputs lie beside them.
[[nodiscard]] std::uint64_t share_for_tensors(std::uint64_t memory);

/// How much of a GPU's memory one kernel may hold: three quarters. The other kernel, the worker's
/// buffers and the expected outputs lie there too.
[[nodiscard]] std::uint64_t share_for_kernel(std::uint64_t memory);

/// "5.9 GiB", "125 GiB".
[[nodiscard]] std::string gibibytes(std::uint64_t bytes);

}  // namespace assay
