#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/device_metrics.hpp"

namespace assay::metrics {

/// How a profiler around a runner ended, as far as the worker saw it.
struct NcuEnd {
  std::optional<int> exit_code;  // none: it was killed
  bool timed_out = false;
  bool has_report = false;
  std::string said;     // its log, and what the runner printed
  std::string setback;  // why the call was not made; empty where it was
  bool chosen = false;  // not all kernels were to be profiled
};

/// What that means and what to do about it. It is `collected` if there is a report, whatever else
/// was said. Reading the report shows what it holds.
[[nodiscard]] MetricsStatus status_of(const NcuEnd& end);

/// Where no profiler was found, by the places where it was looked for.
[[nodiscard]] MetricsStatus no_profiler(std::string_view looked_for);

/// The profiler's own line about its failure; empty where it wrote none.
[[nodiscard]] std::string error_line(std::string_view said);

}  // namespace assay::metrics
