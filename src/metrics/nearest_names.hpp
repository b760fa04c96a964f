#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metrics {

/// The names most like one that does not exist, the nearest first; none where nothing is near.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     std::span<const std::string> known,
                                                     std::size_t most = 3);

}  // namespace assay::metrics
