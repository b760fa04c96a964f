#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/ncu/report.hpp"

namespace assay::trace {

/// Where a CSV page of the tool keeps what identifies a launch. Columns are found by name, because
/// some are missing at times. NVTX columns are there only if ranges were recorded, grid and block
/// only for kernels.
struct LaunchColumns {
  std::optional<std::size_t> id, process_id, process_name, host_name, kernel_name, context, stream,
      block, grid, device, compute_capability, push_pop_ranges, start_end_ranges;

  /// Whether a column identifies the launch rather than holding a metric.
  [[nodiscard]] bool contains(std::size_t column) const;
};

/// Whether a record is the header line of one of the tool's pages.
[[nodiscard]] bool is_header(const std::vector<std::string>& record);

[[nodiscard]] LaunchColumns find_launch_columns(const std::vector<std::string>& header);

/// What the identifying columns say; metrics are left empty. Nothing where the id is no number.
[[nodiscard]] std::optional<NcuLaunch> read_launch(const std::vector<std::string>& record,
                                                   const LaunchColumns& columns);

/// The ranges in an NVTX cell: `846  "<default domain>:name:none:…" "…"`.
[[nodiscard]] std::vector<NcuNvtxRange> parse_nvtx_cell(std::string_view cell,
                                                        NcuNvtxRange::Kind kind);

/// The text of a column in one line of the file; nothing where the line does not reach it.
[[nodiscard]] std::string_view cell(const std::vector<std::string>& record,
                                    std::optional<std::size_t> column);

}  // namespace assay::trace
