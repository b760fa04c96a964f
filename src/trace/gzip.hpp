#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::trace {

/// Unpacked, a profile of this size still fits the memory of a small machine beside its tables.
inline constexpr std::size_t kLargestUnpacked = std::size_t{8} << 30U;

[[nodiscard]] bool is_gzip(std::string_view beginning);

/// A file's bytes, up to `limit` of them. A gzip file is unpacked. Fails with `not_found` if there
/// is no file, with `data_loss` if the packing is broken, and with `invalid_argument` if there are
/// more bytes.
[[nodiscard]] Result<std::string> read_unpacked(const std::filesystem::path& path,
                                                std::size_t limit = kLargestUnpacked);

/// The first `size` of those bytes, or fewer where there are fewer.
[[nodiscard]] Result<std::string> read_beginning(const std::filesystem::path& path,
                                                 std::size_t size);

}  // namespace assay::trace
