#include "device/gpu_health.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "device/nvml.hpp"
#include "device/nvml_values.hpp"
#include "model/device_info.hpp"

namespace assay::device {
namespace {

// Of the many Xids most are a program's own fault. These say that the GPU itself needs help:
// double-bit errors, uncontained memory errors, fallen off the bus, firmware that does not answer.
constexpr std::array<std::uint64_t, 7> kFatalXids = {48, 62, 64, 79, 95, 119, 120};

}  // namespace

GpuHealthProbe::GpuHealthProbe(const Nvml& nvml, const std::vector<DeviceInfo>& devices)
    : nvml_(nvml) {
  if (nvml_.event_set_create(&events_) != nvml::kSuccess) events_ = nullptr;
  for (const DeviceInfo& device : devices) {
    nvml::Device handle = nullptr;
    if (nvml_.device_by_uuid(device.uuid.c_str(), &handle) != nvml::kSuccess) continue;
    handles_[device.uuid] = handle;
    if (events_ != nullptr) nvml_.register_events(handle, nvml::kXidEvent, events_);
  }
}

void GpuHealthProbe::collect_xids() {
  if (events_ == nullptr) return;
  nvml::EventData event;
  while (nvml_.event_wait(events_, &event, 0) == nvml::kSuccess) {
    if (event.type == nvml::kXidEvent) xids_[event.device] = event.data;
  }
}

GpuHealth GpuHealthProbe::look(const DeviceInfo& device) {
  GpuHealth health;
  const auto known = handles_.find(device.uuid);
  if (known == handles_.end()) {
    health.fault = "NVML does not know it";
    return health;
  }
  const nvml::Device handle = known->second;
  collect_xids();
  nvml::Memory memory;
  const nvml::Status status = nvml_.memory(handle, &memory);
  if (status == nvml::kGpuIsLost || status == nvml::kResetRequired) {
    health.fault = nvml_.error_string(status);
    return health;
  }
  if (status == nvml::kSuccess) health.memory_used_bytes = memory.used;
  health.temperature_celsius = ask_for<unsigned>(
      [&](unsigned* value) { return nvml_.temperature(handle, nvml::kTemperatureGpu, value); });
  health.sm_clock_mhz = ask_for<unsigned>(
      [&](unsigned* value) { return nvml_.clock(handle, nvml::kClockSm, value); });
  health.max_sm_clock_mhz = ask_for<unsigned>(
      [&](unsigned* value) { return nvml_.max_clock(handle, nvml::kClockSm, value); });
  health.memory_clock_mhz = ask_for<unsigned>(
      [&](unsigned* value) { return nvml_.clock(handle, nvml::kClockMemory, value); });
  health.uncorrected_ecc_errors = ask_for<unsigned long long>([&](unsigned long long* value) {
    return nvml_.ecc_errors(handle, nvml::kUncorrected, nvml::kVolatile, value);
  });
  health.slowed_by = slowdowns_of(nvml_, handle);
  if (const auto xid = xids_.find(handle); xid != xids_.end()) {
    health.last_xid = xid->second;
    if (std::ranges::find(kFatalXids, xid->second) != kFatalXids.end()) {
      health.fault = fmt::format("the driver reported Xid {}", xid->second);
      xids_.erase(xid);  // it is tried again later; only news takes it out again
    }
  }
  return health;
}

}  // namespace assay::device
