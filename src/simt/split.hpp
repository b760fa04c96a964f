#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::simt {

/// A CUDA source taken apart: what a C++ compiler makes of its host side takes seconds less than
/// what nvcc makes of the whole, and NVRTC compiles the device side in a fraction of one.
struct SplitSource {
  /// For a C++ compiler, with gpu/include/assay/gpu/launch.hpp before it. Kernels are stubs that
  /// launch by their own address; launches call them.
  std::string host;
  /// For NVRTC, with gpu/include/assay/gpu/device.hpp before it.
  std::string device;
  std::vector<std::string> kernels;  // with their namespaces, in the order of the source
};

/// Both texts keep every line's number. Fails with `unavailable`, and the reason, for a source
/// that must go to nvcc whole: one that uses a kernel or a device variable as an object of the
/// CUDA runtime, or headers that only nvcc can read; or one whose end is missing.
[[nodiscard]] Result<SplitSource> split(std::string_view source, std::string_view file_name);

}  // namespace assay::simt
