#pragma once

#include <span>

namespace assay::compile {

/// What a compiler process of ours is called: `assay nvrtc-compile …`.
inline constexpr const char* kNvrtcCommand = "nvrtc-compile";
inline constexpr const char* kNvrtcModule = "module.cubin";
inline constexpr const char* kNvrtcPtx = "module.ptx";
inline constexpr const char* kNvrtcEntry = "entry";

/// Exit codes.
inline constexpr int kNvrtcCompiled = 0;
inline constexpr int kNvrtcRejected = 1;  // the source's fault: the log is on standard output
inline constexpr int kNvrtcBroken = 3;    // ours: what went wrong is on standard output

/// A compiler: runs NVRTC on one source, in a jail. The arguments begin with the library and its
/// builtins. With nothing else it prints the version. Otherwise four more follow: the source's
/// path, an output directory, the kernels as name expressions (one a line), and options for NVRTC.
/// It writes `module.cubin`, `module.ptx` and `entry` into the output directory. `entry` has the
/// symbols of the kernels, one a line. The module of a single kernel also records its parameters
/// (device/cubin.hpp).
[[nodiscard]] int nvrtc_compile_main(std::span<char* const> arguments);

}  // namespace assay::compile
