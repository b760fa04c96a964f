#pragma once

#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "model/device_metrics.hpp"
#include "trace/ncu/report.hpp"

namespace assay::metrics {

/// What the launches inside an NVTX range did: each by itself, and all together by the rule of each
/// key. Fails with `not_found` if the report has no launch in the range. Then the profiler, which
/// was asked for that range alone, saw none.
[[nodiscard]] Result<CallMetrics> read_call(const trace::NcuReport& report, std::string_view range);

/// A number of the whole call; nothing where it is not known.
[[nodiscard]] std::optional<double> number_in(const CallMetrics& call, std::string_view group,
                                              std::string_view key);

/// The version of the profiler that wrote the report; empty where it does not say.
[[nodiscard]] std::string profiler_version(const trace::NcuReport& report);

}  // namespace assay::metrics
