#include "device/cupti_profiler.hpp"

#include <array>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/dynamic_library.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {

Result<CuptiProfiler> CuptiProfiler::open(const std::string& path) {
  CuptiProfiler c{};
  const std::array symbols = {
      symbol("cuptiGetResultString", c.result_string),
      symbol("cuptiProfilerInitialize", c.start),
      symbol("cuptiProfilerDeviceSupported", c.device_support),
      symbol("cuptiDeviceGetChipName", c.chip_name),
      symbol("cuptiProfilerGetCounterAvailability", c.availability),
      symbol("cuptiProfilerHostGetSupportedChips", c.chips),
      symbol("cuptiProfilerHostInitialize", c.open_host),
      symbol("cuptiProfilerHostDeinitialize", c.close_host),
      symbol("cuptiProfilerHostGetBaseMetrics", c.base_metrics),
      symbol("cuptiProfilerHostGetMetricProperties", c.properties),
      symbol("cuptiProfilerHostConfigAddMetrics", c.add_metrics),
      symbol("cuptiProfilerHostGetConfigImageSize", c.config_size),
      symbol("cuptiProfilerHostGetConfigImage", c.config),
      symbol("cuptiProfilerHostGetNumOfPasses", c.passes),
      symbol("cuptiProfilerHostEvaluateToGpuValues", c.evaluate),
      symbol("cuptiRangeProfilerEnable", c.enable_ranges),
      symbol("cuptiRangeProfilerDisable", c.disable_ranges),
      symbol("cuptiRangeProfilerGetCounterDataSize", c.data_size),
      symbol("cuptiRangeProfilerCounterDataImageInitialize", c.initialise_data),
      symbol("cuptiRangeProfilerSetConfig", c.set_config),
      symbol("cuptiRangeProfilerStart", c.start_pass),
      symbol("cuptiRangeProfilerPushRange", c.push_range),
      symbol("cuptiRangeProfilerPopRange", c.pop_range),
      symbol("cuptiRangeProfilerStop", c.stop_pass),
      symbol("cuptiRangeProfilerDecodeData", c.decode),
      symbol("cuptiRangeProfilerGetCounterDataInfo", c.data_info)};
  // CUPTI opens them by their bare names, which finds them only where they are open already.
  for (const char* part : {"libnvperf_host.so", "libnvperf_target.so"}) {
    const std::string beside = (std::filesystem::path(path).parent_path() / part).string();
    (void)open_library(std::array{beside}, {});
  }
  std::vector<std::string> names;
  if (!path.empty()) names.push_back(path);
  names.insert(names.end(), {"libcupti.so.13", "libcupti.so.12", "libcupti.so"});
  if (auto opened = open_library(names, symbols); !opened) {
    return std::unexpected(std::move(opened).error());
  }
  profiler::Start arguments;
  c.started = c.start(&arguments);
  return c;
}

Result<void> check(const CuptiProfiler& cupti, profiler::Status status, std::string_view what) {
  if (status == profiler::kSuccess) return {};
  const char* text = nullptr;
  cupti.result_string(status, &text);
  return fail(ErrorCode::unavailable,
              fmt::format("{}: {} ({})", what, text == nullptr ? "an error" : text, status));
}

}  // namespace assay::device
