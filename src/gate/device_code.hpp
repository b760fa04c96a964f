#pragma once

#include <span>
#include <string>

#include "base/embedded_file.hpp"

namespace assay::gate {

/// The files of device_code/.
[[nodiscard]] std::span<const EmbeddedFile> device_code_files();

/// Them as one source for NVRTC.
[[nodiscard]] std::string device_code_source();

/// One of its kernels, for compilers that want to know which.
inline constexpr const char* kDeviceCodeEntry = "assay_begin";

}  // namespace assay::gate
