#include "device/nvml_values.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "device/nvml.hpp"

namespace assay::device {
namespace {

struct Slowdown {
  unsigned long long bit;
  std::string_view name;
};

// An idle GPU, one at the clocks it was set to and one in a sync group are not slowed.
constexpr std::array kSlowdowns = {
    Slowdown{0x04, "sw_power_cap"},
    Slowdown{0x08, "hw_slowdown"},
    Slowdown{0x20, "sw_thermal_slowdown"},
    Slowdown{0x40, "hw_thermal_slowdown"},
    Slowdown{0x80, "hw_power_brake_slowdown"},
};

}  // namespace

std::vector<std::string> slowdowns_of(const Nvml& nvml, nvml::Device device) {
  const auto bits = ask_for<unsigned long long>(
      [&](unsigned long long* value) { return nvml.throttle_reasons(device, value); });
  std::vector<std::string> names;
  for (const auto& [bit, name] : kSlowdowns) {
    if ((bits.value_or(0) & bit) != 0) names.emplace_back(name);
  }
  return names;
}

}  // namespace assay::device
