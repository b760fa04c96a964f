#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// A byte per range: nonzero for those that `text` names. A name fits as it stands, or else in
/// another case, or else as a pattern with `*`. "Step > Forward" means the ranges Forward inside a
/// range Step of their thread. If none fits, it fails with `not_found` and names some that there
/// are.
[[nodiscard]] Result<std::vector<std::uint8_t>> select_ranges(const Trace& trace,
                                                              std::string_view text);

/// The chosen ranges that lie in no other chosen one of their thread.
[[nodiscard]] std::vector<std::uint32_t> outermost(const Trace& trace,
                                                   const std::vector<std::uint8_t>& chosen);
/// The same of chosen rows, which are in order.
[[nodiscard]] std::vector<std::uint32_t> outermost(const Trace& trace,
                                                   std::vector<std::uint32_t> rows);

/// A byte per range: nonzero if `says` holds for its name, or for the name of a range around it on
/// its thread. Each name is asked about once.
[[nodiscard]] std::vector<std::uint8_t> ranges_under(
    const Trace& trace, const std::function<bool(std::string_view)>& says);

}  // namespace assay::trace
