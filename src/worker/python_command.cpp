#include "worker/python_command.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "model/device_info.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "worker/gpu_jail.hpp"

namespace assay::worker {
namespace {

constexpr const char* kInsidePath = "/assay/python";

bool on_gpu(const PythonOptions& options) {
  return options.device.kind == DeviceKind::cuda;
}

std::vector<process::Bind> binds(const PythonOptions& options) {
  std::vector<process::Bind> result{{.host = options.package, .inside = kInsidePath}};
  for (const auto& path : options.interpreter.roots) {
    result.push_back({.host = path, .inside = path});
  }
  if (on_gpu(options)) std::ranges::copy(gpu_binds(options.gpu_files), std::back_inserter(result));
  return result;
}

std::vector<std::string> environment(const PythonOptions& options) {
  std::vector<std::string> variables{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/tmp",
                                     // No thread may run while it forks.
                                     "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
                                     "MKL_NUM_THREADS=1",
                                     // Threads of the one kernel that wait spinning take the cores
                                     // from the other: calls of 0.2 ms took up to 16 ms.
                                     "OMP_WAIT_POLICY=passive"};
  variables.push_back(fmt::format("ASSAY_DEVICE={}", to_string(options.device.kind)));
  if (!on_gpu(options)) variables.emplace_back("TRITON_INTERPRET=1");
  std::ranges::copy(gpu_environment(options.device), std::back_inserter(variables));
  return variables;
}

}  // namespace

process::Command python_command(const PythonOptions& options, const process::JailSupport& support,
                                std::string_view code) {
  const bool has_root = support.has(process::JailPart::mount_namespace);
  const std::string package = has_root ? kInsidePath : options.package.string();
  // Isolated: neither the environment nor the current directory decides what is imported.
  return {.argv = {options.interpreter.program.string(), "-I", "-B", "-c",
                   fmt::format("import sys; sys.path.insert(0, '{}')\n{}", package, code)},
          .environment = environment(options),
          .jail = process::JailProfile{.name = "Python",
                                       .binds = binds(options),
                                       .limits = options.limits,
                                       .syscalls = process::SyscallPolicy::python}};
}

}  // namespace assay::worker
