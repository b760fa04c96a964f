#pragma once

#include <filesystem>
#include <string_view>

#include "device/gpu_files.hpp"
#include "model/device_info.hpp"
#include "process/jail_profile.hpp"
#include "process/jail_support.hpp"
#include "process/subprocess.hpp"
#include "process/weak_jail.hpp"
#include "python/interpreter.hpp"

namespace assay::worker {

/// What every Python runner of this worker is and may use.
struct PythonOptions {
  python::Interpreter interpreter;
  std::filesystem::path package;  // what write_python_package gave
  DeviceInfo device;
  process::Limits limits;  // of one runner
  device::GpuFiles gpu_files{};
  bool require_jail = false;      // run nothing where a part of the inner jail is missing
  process::PartNames given_up{};  // parts that may be missing all the same
};

/// A jailed Python that executes `code`, which can import our package. The caller decides about
/// descriptors, system calls and limits.
[[nodiscard]] process::Command python_command(const PythonOptions& options,
                                              const process::JailSupport& support,
                                              std::string_view code);

}  // namespace assay::worker
