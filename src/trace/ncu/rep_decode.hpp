#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/diagnostics.hpp"
#include "trace/ncu/report.hpp"
#include "trace/table.hpp"

namespace assay::trace {

// Decoders of the messages inside an `.ncu-rep` file. Field numbers are those of the vendor's
// published .proto files (ncu 2025.3). A message that is damaged gives what could be read before
// the damage, and is counted in `diagnostics`.

/// ProfileMetricValue.
[[nodiscard]] Cell decode_value(std::string_view message, Diagnostics& diagnostics);

/// ProfileMetricResult; its name is the index of a string in `names`.
void decode_metric(std::string_view message, const std::vector<std::string>& names,
                   std::vector<NcuMetric>& metrics, Diagnostics& diagnostics);

/// ProfilerSection.
[[nodiscard]] NcuSection decode_section(std::string_view message, Diagnostics& diagnostics);

/// RuleResult.
[[nodiscard]] NcuRule decode_rule(std::string_view message, Diagnostics& diagnostics);

/// SourceData; gives the number that results call it by.
std::uint64_t decode_module(std::string_view message, NcuModule& module, Diagnostics& diagnostics);

/// NvtxState.
[[nodiscard]] std::vector<NcuNvtxRange> decode_nvtx(std::string_view message,
                                                    Diagnostics& diagnostics);

/// ReportSessionDetails. A file spreads them over several blocks: each adds what it has.
void decode_session(std::string_view message, NcuSession& session, Diagnostics& diagnostics);

}  // namespace assay::trace
