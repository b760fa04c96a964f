#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::store {

/// `bytes` behind one byte that says how they are kept: as they are, or as a zstd frame if that
/// saves room. Source text shrinks to about a fifth.
[[nodiscard]] std::string pack(std::string_view bytes);

/// Undoes `pack`. Fails with `data_loss` for what `pack` did not write, and `resource_exhausted`
/// where more than `limit` bytes would come out.
[[nodiscard]] Result<std::string> unpack(std::string_view packed,
                                         std::size_t limit = std::size_t{1} << 30U);

}  // namespace assay::store
