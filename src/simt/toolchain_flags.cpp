#include "simt/toolchain_flags.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "simt/toolchain.hpp"

namespace assay::simt {
namespace {

/// Code runs where it is compiled, so it may use what this processor has: without FMA and
/// half-precision conversion in hardware, kernels that use them crawl.
std::string processor_flag() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                 __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c")
             ? "-march=x86-64-v3"
             : "-march=x86-64";
#else
  return "-march=native";
#endif
}

}  // namespace

std::vector<std::string> compile_flags(const Toolchain& toolchain, Variant variant) {
  std::vector<std::string> flags = {
      // Reports tell lines of instrumented code, which hard optimising would blur.
      "-x", "c++", "-std=c++20", variant == Variant::plain ? "-O2" : "-O1", "-fPIC", "-pthread",
      processor_flag(),
      // Hidden, so that calls inside a module can be inlined.
      "-fvisibility=hidden",
      // For the lines of reports; a wild access has one without being asked.
      "-g1", "-gdwarf-4",
      // Device code reinterprets memory freely, and no device traps or sets errno.
      "-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math", "-Wno-attributes",
      "-Wno-deprecated", "-Wno-psabi", "-Wno-unknown-pragmas", "-fno-diagnostics-show-caret",
      "-fdiagnostics-color=never", "-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDA_ARCH__=800",
      "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=4", "-D__CUDACC_VER_BUILD__=0",
      "-isystem", (toolchain.directory / "include").string()};
  if (variant == Variant::instrumented) {
    // Only the compiler's half of ThreadSanitizer: its calls go to our own runtime.
    flags.insert(flags.end(),
                 {"-fsanitize=thread", "--param=tsan-distinguish-volatile=1",
                  "--param=tsan-instrument-func-entry-exit=0",
                  // A vector stays one access: its alignment is part of the check.
                  "-fno-tree-sra",
                  // Copies become calls, which simt/runtime/wrapped.cpp checks.
                  "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset"});
  }
  return flags;
}

std::vector<std::string> link_flags(const Toolchain& toolchain, Variant variant) {
  std::vector<std::string> flags = {
      "-x", "none", runtime_library(toolchain).string(),
      // What simt/runtime/math.cpp computes better than the C library.
      "-Wl,--wrap=cbrt,--wrap=remquo,--wrap=remquof"};
  // The linker must not add libtsan: what the instrumentation calls is in the runtime.
  if (variant == Variant::instrumented) {
    flags.insert(flags.end(), {"-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lgcc", "-lc"});
    // simt/runtime/wrapped.cpp
    for (const std::string_view name :
         {"memcpy", "memmove", "memset", "malloc", "calloc", "free", "_Znwm", "_Znam", "_ZdlPv",
          "_ZdlPvm", "_ZdaPv", "_ZdaPvm"}) {
      flags.push_back(fmt::format("-Wl,--wrap={}", name));
    }
  }
  return flags;
}

}  // namespace assay::simt
