#include "cli/gpu_clocks.hpp"

#include <array>
#include <vector>

#include "device/nvml.hpp"
#include "profile/clock_log.hpp"

namespace assay::cli {
namespace {

profile::ClockReading clocks_of(const device::Nvml& nvml, device::nvml::Device gpu) {
  namespace nv = device::nvml;
  profile::ClockReading out;
  std::array<char, nv::kTextSize> name{};
  if (nvml.name(gpu, name.data(), name.size()) == nv::kSuccess) out.device = name.data();
  const auto read = [&](auto ask, int which) {
    unsigned megahertz = 0;
    return ask(gpu, which, &megahertz) == nv::kSuccess ? megahertz : 0;
  };
  out.sm_mhz = read(nvml.clock, nv::kClockSm);
  out.sm_most_mhz = read(nvml.max_clock, nv::kClockSm);
  out.memory_mhz = read(nvml.clock, nv::kClockMemory);
  return out;
}

}  // namespace

profile::ReadClocks clock_reader(const device::Nvml& nvml) {
  return [nvml] {
    std::vector<profile::ClockReading> out;
    unsigned count = 0;
    if (nvml.device_count(&count) != device::nvml::kSuccess) return out;
    for (unsigned i = 0; i < count; ++i) {
      device::nvml::Device gpu = nullptr;
      if (nvml.device_at(i, &gpu) == device::nvml::kSuccess) out.push_back(clocks_of(nvml, gpu));
    }
    return out;
  };
}

profile::ReadClocks clock_reader() {
  const auto nvml = device::Nvml::open();
  return nvml ? clock_reader(*nvml) : profile::ReadClocks();
}

}  // namespace assay::cli
