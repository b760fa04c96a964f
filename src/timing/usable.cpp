#include "timing/usable.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "model/device_state.hpp"

namespace assay::timing {
namespace {

template <class T, class Choose>
std::optional<T> chosen(const std::optional<T>& a, const std::optional<T>& b, Choose choose) {
  if (!a || !b) return a ? a : b;
  return choose(*a, *b);
}

template <class T>
std::optional<T> lower(const std::optional<T>& a, const std::optional<T>& b) {
  return chosen(a, b, [](T x, T y) { return std::min(x, y); });
}

template <class T>
std::optional<T> greater(const std::optional<T>& a, const std::optional<T>& b) {
  return chosen(a, b, [](T x, T y) { return std::max(x, y); });
}

}  // namespace

DeviceState worse_of(const DeviceState& before, const DeviceState& after) {
  DeviceState state{
      .sm_clock_mhz = lower(before.sm_clock_mhz, after.sm_clock_mhz),
      .memory_clock_mhz = lower(before.memory_clock_mhz, after.memory_clock_mhz),
      .temperature_celsius = greater(before.temperature_celsius, after.temperature_celsius),
      .power_watts = greater(before.power_watts, after.power_watts),
      .slowed_by = before.slowed_by,
      .processes = greater(before.processes, after.processes)};
  for (const std::string& reason : after.slowed_by) {
    if (std::ranges::find(state.slowed_by, reason) == state.slowed_by.end()) {
      state.slowed_by.push_back(reason);
    }
  }
  return state;
}

std::optional<std::string> reason_not_to_use(const DeviceState& state) {
  if (state.slowed_by.empty()) return std::nullopt;
  return fmt::format("the device was slowed: {}", fmt::join(state.slowed_by, ", "));
}

}  // namespace assay::timing
