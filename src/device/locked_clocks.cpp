#include "device/locked_clocks.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/nvml.hpp"

namespace assay::device {

Result<ClockChoice> parse_clock_choice(std::string_view text) {
  if (text == "base") return ClockChoice{};
  constexpr unsigned kHighest = 10'000;  // far above any GPU's; the driver says what it can
  unsigned megahertz = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), megahertz);
  const bool is_number = failed == std::errc() && end == text.data() + text.size();
  if (!is_number || megahertz == 0 || megahertz > kHighest) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is no clock: give 'base' or megahertz, as 1500", text));
  }
  return ClockChoice{megahertz};
}

Result<LockedClocks> LockedClocks::lock(const Nvml& nvml, const std::string& uuid,
                                        const ClockChoice& choice) {
  if (nvml.lock_clocks == nullptr || nvml.unlock_clocks == nullptr) {
    return fail(ErrorCode::unavailable, "this driver cannot lock clocks");
  }
  nvml::Device device = nullptr;
  if (nvml.device_by_uuid(uuid.c_str(), &device) != nvml::kSuccess) {
    return fail(ErrorCode::not_found, "NVML does not know " + uuid);
  }
  const unsigned clock = choice.megahertz.value_or(nvml::kBaseClock);
  const nvml::Status status = nvml.lock_clocks(device, clock, clock);
  if (status != nvml::kSuccess) {
    return fail(ErrorCode::unavailable,
                fmt::format("the driver refuses: {}", nvml.error_string(status)));
  }
  return LockedClocks(nvml, device);
}

LockedClocks::~LockedClocks() {
  if (device_ != nullptr) nvml_->unlock_clocks(device_);
}

}  // namespace assay::device
