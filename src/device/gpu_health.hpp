#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/nvml.hpp"
#include "model/device_info.hpp"

namespace assay::device {

/// How a GPU is, as far as it says: what it does not report is absent.
struct GpuHealth {
  std::optional<unsigned> temperature_celsius;
  std::optional<unsigned> sm_clock_mhz;
  std::optional<unsigned> max_sm_clock_mhz;
  std::optional<unsigned> memory_clock_mhz;
  std::optional<std::uint64_t> memory_used_bytes;       // by everybody, ourselves included
  std::optional<std::uint64_t> uncorrected_ecc_errors;  // since the driver was loaded
  std::vector<std::string> slowed_by;                   // "sw_power_cap", "hw_thermal_slowdown"
  std::optional<std::uint64_t> last_xid;                // the driver's number for the last fault
  std::optional<std::string> fault;  // why nothing should run on it; absent where it is well
};

/// Asks NVML how GPUs are. One thread at a time.
class GpuHealthProbe {
 public:
  /// `nvml` must outlive this.
  GpuHealthProbe(const Nvml& nvml, const std::vector<DeviceInfo>& devices);

  /// `fault` is set where the GPU is gone, needs a reset, or met an Xid that kills it.
  [[nodiscard]] GpuHealth look(const DeviceInfo& device);

 private:
  void collect_xids();

  const Nvml& nvml_;
  std::map<std::string, nvml::Device> handles_;  // by UUID
  nvml::EventSet events_ = nullptr;              // null: no Xids can be had
  std::map<nvml::Device, std::uint64_t> xids_;
};

}  // namespace assay::device
