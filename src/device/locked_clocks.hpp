#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "device/nvml.hpp"

namespace assay::device {

/// At which clock a GPU is held.
struct ClockChoice {
  std::optional<unsigned> megahertz;  // absent: at its base clock, which it can keep up for ever
  friend bool operator==(const ClockChoice&, const ClockChoice&) = default;
};

/// "base", or a number of megahertz. Fails with `invalid_argument` for anything else.
[[nodiscard]] Result<ClockChoice> parse_clock_choice(std::string_view text);

/// Holds the multiprocessors of one GPU at one clock for as long as it lives, whoever uses the GPU.
/// The driver keeps a lock when a process dies, so this belongs into a process that nothing ends
/// early.
class LockedClocks {
 public:
  /// `nvml` must outlive this. Fails with `not_found` if NVML does not know the UUID, and with
  /// `unavailable` if the driver refuses, as it does where we are not root.
  [[nodiscard]] static Result<LockedClocks> lock(const Nvml& nvml, const std::string& uuid,
                                                 const ClockChoice& choice);
  LockedClocks(LockedClocks&& other) noexcept
      : nvml_(other.nvml_), device_(std::exchange(other.device_, nullptr)) {}
  LockedClocks(const LockedClocks&) = delete;
  LockedClocks& operator=(const LockedClocks&) = delete;
  LockedClocks& operator=(LockedClocks&&) = delete;
  ~LockedClocks();

 private:
  LockedClocks(const Nvml& nvml, nvml::Device device) : nvml_(&nvml), device_(device) {}

  const Nvml* nvml_;
  nvml::Device device_;  // null: moved away
};

}  // namespace assay::device
