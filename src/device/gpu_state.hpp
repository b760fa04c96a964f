#pragma once

#include <string>

#include "base/result.hpp"
#include "device/nvml.hpp"
#include "model/device_state.hpp"

namespace assay::device {

/// Reads how one GPU is, before and after each batch of timed calls. Takes some 10 us on the host
/// and does nothing on the GPU.
class GpuState {
 public:
  /// `nvml` must outlive this. Fails with `not_found` where NVML does not know the UUID.
  [[nodiscard]] static Result<GpuState> of(const Nvml& nvml, const std::string& uuid);

  /// What the GPU does not say is absent.
  [[nodiscard]] DeviceState read() const;

 private:
  GpuState(const Nvml& nvml, nvml::Device device) : nvml_(&nvml), device_(device) {}

  const Nvml* nvml_;
  nvml::Device device_;
};

}  // namespace assay::device
