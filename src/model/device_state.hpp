#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay {

/// How a device was while it was timed. What it does not say is absent; on `cpu` all of it is.
struct DeviceState {
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<unsigned> temperature_celsius;
  std::optional<double> power_watts;
  std::vector<std::string> slowed_by;  // "sw_power_cap", "hw_thermal_slowdown"
  std::optional<unsigned> processes;  // that hold a context on it, those timed and waiting ones too
};

}  // namespace assay
