#pragma once

#include "device/nvml.hpp"
#include "profile/clock_log.hpp"

namespace assay::cli {

/// Reads the clocks of every GPU that the library knows. What a GPU does not say is 0.
[[nodiscard]] profile::ReadClocks clock_reader(const device::Nvml& nvml);

/// The same with the library of this machine; nothing where it has none.
[[nodiscard]] profile::ReadClocks clock_reader();

}  // namespace assay::cli
