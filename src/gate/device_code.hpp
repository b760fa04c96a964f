#pragma once

#include <array>
#include <span>
#include <string>

#include "base/embedded_file.hpp"

namespace assay::gate {

/// The files of device_code/.
[[nodiscard]] std::span<const EmbeddedFile> device_code_files();

/// A module that is made of them.
struct DeviceModule {
  const char* source;  // a file of device_code/
  const char* entry;   // one of its kernels, for compilers that want to know which
  const char* image;   // the file that it is compiled to
};

inline constexpr const char* kSceneModule = "scene.cubin";  // around timed calls
inline constexpr const char* kWorkModule = "work.cubin";    // over tensors, for the judge
inline constexpr std::array kDeviceModules = {
    DeviceModule{.source = "scene.cu", .entry = "assay_begin", .image = kSceneModule},
    DeviceModule{.source = "work.cu", .entry = "assay_compare", .image = kWorkModule}};

/// All that a module is made of, as one source for NVRTC.
[[nodiscard]] std::string source_of(const DeviceModule& module);

}  // namespace assay::gate
