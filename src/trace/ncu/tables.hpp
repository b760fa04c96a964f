#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/figures.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// A row per launch: time, throughputs, occupancy and what limits it, bandwidth, FLOP/s,
/// arithmetic intensity.
[[nodiscard]] Table ncu_kernel_table(const NcuReport& report);

/// A row per launch: how it was configured and in which ranges it ran.
[[nodiscard]] Table ncu_launch_table(const NcuReport& report);

/// A row per launch and kind of arithmetic: what it achieved, and what the device could reach. The
/// second is for the clock the launch ran at and for its arithmetic intensity.
[[nodiscard]] Table ncu_roofline_table(const NcuReport& report);

/// The same as points under ceilings, one figure per device. Each ceiling is at the highest clock
/// of its launches. A launch whose work was not counted is left out.
[[nodiscard]] std::vector<Roofline> ncu_rooflines(const NcuReport& report);

/// Where the profiled time went, by kernel.
[[nodiscard]] Breakdown ncu_breakdown(const NcuReport& report);

[[nodiscard]] Table ncu_section_list(const NcuReport& report);

/// The metrics of a section, named by id or by display name, for every launch. `with_body` adds
/// those of its tables and charts. Fails with `not_found`, naming the sections there are.
[[nodiscard]] Result<Table> ncu_section_table(const NcuReport& report, std::string_view section,
                                              bool with_body);

/// Every metric that one of the patterns matches (`*` stands for any text), for every launch.
/// Fails with `not_found` for a pattern that matches nothing.
[[nodiscard]] Result<Table> ncu_metric_table(const NcuReport& report,
                                             std::span<const std::string> patterns);

/// What the tool's rules concluded. With `everything`, also what they found in order.
[[nodiscard]] std::vector<Finding> ncu_findings(const NcuReport& report, bool everything);

/// "16x32x1"; empty for nothing.
[[nodiscard]] std::string dim3_text(const std::optional<std::array<std::uint64_t, 3>>& dim);

}  // namespace assay::trace
