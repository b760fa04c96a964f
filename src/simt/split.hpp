#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::simt {

/// A CUDA source taken apart into its host side and its device side. A C++ compiler and NVRTC
/// compile the two parts seconds faster than nvcc compiles the whole.
struct SplitSource {
  /// For a C++ compiler, with gpu/include/assay/gpu/launch.hpp before it. Kernels are stubs that
  /// launch by their own address; launches call them.
  std::string host;
  /// For NVRTC, with gpu/include/assay/gpu/device.hpp before it.
  std::string device;
  std::vector<std::string> kernels;  // with their namespaces, in the order of the source
};

/// Both texts keep every line's number. Some sources must go to nvcc whole. For these it fails with
/// `unavailable` and the reason. Either the source uses a kernel or a device variable as an object
/// of the CUDA runtime. Or it needs headers that only nvcc can read. Or its end is missing.
[[nodiscard]] Result<SplitSource> split(std::string_view source, std::string_view file_name);

}  // namespace assay::simt
