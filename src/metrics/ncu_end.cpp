#include "metrics/ncu_end.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "model/device_metrics.hpp"

namespace assay::metrics {
namespace {

constexpr std::string_view kForbidden = "ERR_NVGPUCTRPERM";
constexpr std::string_view kNoKernels = "No kernels were profiled";
constexpr std::string_view kBusy = "driver resource was unavailable";

MetricsStatus forbidden() {
  return {.state = MetricsState::forbidden,
          .reason =
              "the driver lets only administrators read the GPU's counters "
              "(ERR_NVGPUCTRPERM)",
          .advice =
              "load the driver with NVreg_RestrictProfilingToAdminUsers=0, or run the server "
              "as root with CAP_PERFMON (in a container: --cap-add PERFMON, or SYS_ADMIN with "
              "--counter-capability sys_admin); see docs/device-metrics.md"};
}

MetricsStatus failed(std::string reason, std::string advice) {
  return {.state = MetricsState::failed, .reason = std::move(reason), .advice = std::move(advice)};
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t start = text.rfind('\n');
  return start == std::string_view::npos ? text : text.substr(start + 1);
}

}  // namespace

std::string error_line(std::string_view said) {
  constexpr std::string_view kMark = "==ERROR==";
  const std::size_t at = said.find(kMark);
  if (at == std::string_view::npos) return {};
  std::string_view line = said.substr(at + kMark.size());
  line = line.substr(0, line.find('\n'));
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return std::string(line);
}

MetricsStatus no_profiler(std::string_view looked_for) {
  return {.state = MetricsState::no_profiler,
          .reason = fmt::format("Nsight Compute (ncu) is not here: {}", looked_for),
          .advice = "install Nsight Compute, or name it with --ncu"};
}

MetricsStatus status_of(const NcuEnd& end) {
  if (end.said.find(kForbidden) != std::string::npos) return forbidden();
  if (end.timed_out) {
    return {.state = MetricsState::timed_out,
            .reason = "the profiler did not end in time",
            .advice = "ask for fewer sections, or give the request a longer timeout"};
  }
  if (end.said.find(kBusy) != std::string::npos) {
    return failed("another profiler holds the GPU's counters",
                  "stop it (DCGM among them: dcgmi profile --pause) and ask again");
  }
  if (end.chosen && end.said.find(kNoKernels) != std::string::npos) {
    return failed("no kernel of the measured call is one of those to be profiled",
                  "look at device_metrics.kernels: the name is that of the function, without "
                  "namespaces and template arguments");
  }
  if (end.said.find(kNoKernels) != std::string::npos) {
    return failed("no kernel was launched inside the measured call",
                  "look whether the kernel launches work on the GPU at all");
  }
  if (end.has_report) return {.state = MetricsState::collected};
  const std::string line = error_line(end.said);
  if (!line.empty()) return failed("ncu: " + line, "see what ncu says of it");
  if (!end.setback.empty()) {
    return failed("the call was not made under the profiler: " + end.setback,
                  "the evaluation itself is not affected");
  }
  const std::string how = end.exit_code ? fmt::format("ended with exit code {}", *end.exit_code)
                                        : std::string("was killed");
  const std::string_view last = last_line(end.said);
  return failed(fmt::format("ncu {} and wrote no report{}{}", how, last.empty() ? "" : ": ", last),
                "run the same request again; where it repeats, try ncu by hand on this machine");
}

}  // namespace assay::metrics
