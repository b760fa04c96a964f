#include "device/gpu_state.hpp"

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/nvml.hpp"
#include "device/nvml_values.hpp"
#include "model/device_state.hpp"

namespace assay::device {
namespace {

std::optional<unsigned> count_processes(const Nvml& nvml, nvml::Device device) {
  unsigned count = 0;  // no room: only how many there are
  const nvml::Status status = nvml.compute_processes(device, &count, nullptr);
  if (status != nvml::kSuccess && status != nvml::kInsufficientSize) return std::nullopt;
  return count;
}

}  // namespace

Result<GpuState> GpuState::of(const Nvml& nvml, const std::string& uuid) {
  nvml::Device device = nullptr;
  if (nvml.device_by_uuid(uuid.c_str(), &device) != nvml::kSuccess) {
    return fail(ErrorCode::not_found, "NVML does not know " + uuid);
  }
  return GpuState(nvml, device);
}

DeviceState GpuState::read() const {
  const auto unsigned_of = [](auto ask) { return ask_for<unsigned>(ask); };
  DeviceState state{.sm_clock_mhz = unsigned_of([&](unsigned* value) {
                      return nvml_->clock(device_, nvml::kClockSm, value);
                    }),
                    .memory_clock_mhz = unsigned_of([&](unsigned* value) {
                      return nvml_->clock(device_, nvml::kClockMemory, value);
                    }),
                    .temperature_celsius = unsigned_of([&](unsigned* value) {
                      return nvml_->temperature(device_, nvml::kTemperatureGpu, value);
                    }),
                    .power_watts = std::nullopt,
                    .slowed_by = slowdowns_of(*nvml_, device_),
                    .processes = count_processes(*nvml_, device_)};
  const auto milliwatts =
      unsigned_of([&](unsigned* value) { return nvml_->power(device_, value); });
  if (milliwatts) state.power_watts = *milliwatts / 1000.0;
  return state;
}

}  // namespace assay::device
