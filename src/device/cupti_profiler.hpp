#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/profiler_api.hpp"

namespace assay::device {

/// The functions of CUPTI's host and range profilers, in a table so that tests can stand in for the
/// library. Those that say which metrics a chip has need neither a GPU nor a driver.
struct CuptiProfiler {
  /// Opens CUPTI: the file `path` unless it is empty, else what the linker finds. Also starts the
  /// profiler, which fails where there is no driver; `started` has the answer. Fails with
  /// `not_found` where there is no CUPTI, or one older than 12.6.
  [[nodiscard]] static Result<CuptiProfiler> open(const std::string& path);

  profiler::Status started = profiler::kSuccess;

  profiler::Status (*result_string)(profiler::Status status, const char** text);
  profiler::Call<profiler::Start> start;
  profiler::Call<profiler::DeviceSupport> device_support;
  profiler::Call<profiler::ChipName> chip_name;
  profiler::Call<profiler::Availability> availability;

  profiler::Call<profiler::Chips> chips;
  profiler::Call<profiler::OpenHost> open_host;
  profiler::Call<profiler::CloseHost> close_host;
  profiler::Call<profiler::BaseMetrics> base_metrics;
  profiler::Call<profiler::Properties> properties;
  profiler::Call<profiler::AddMetrics> add_metrics;
  profiler::Call<profiler::ConfigSize> config_size;
  profiler::Call<profiler::Config> config;
  profiler::Call<profiler::Passes> passes;
  profiler::Call<profiler::Evaluate> evaluate;

  profiler::Call<profiler::Enable> enable_ranges;
  profiler::Call<profiler::OfProfiler> disable_ranges;
  profiler::Call<profiler::DataSize> data_size;
  profiler::Call<profiler::Data> initialise_data;
  profiler::Call<profiler::SetConfig> set_config;
  profiler::Call<profiler::OfProfiler> start_pass;
  profiler::Call<profiler::Push> push_range;
  profiler::Call<profiler::OfProfiler> pop_range;
  profiler::Call<profiler::Stop> stop_pass;
  profiler::Call<profiler::Decode> decode;
  profiler::Call<profiler::DataInfo> data_info;
};

/// Nothing on success; else "cuptiRangeProfilerEnable: CUPTI_ERROR_… (7)" as `unavailable`.
[[nodiscard]] Result<void> check(const CuptiProfiler& cupti, profiler::Status status,
                                 std::string_view what);

}  // namespace assay::device
