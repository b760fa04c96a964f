#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "process/jail_support.hpp"

namespace assay::worker {

/// An interpreter and what has to be seen of the machine's files for it to work.
struct PythonEnvironment {
  std::filesystem::path interpreter;
  std::string version;                          // "3.11.7"
  std::map<std::string, std::string> packages;  // of torch, triton and numpy, those installed
  std::vector<std::filesystem::path> paths;     // outside /usr, none within another
};

/// Asks the interpreter about itself; imports nothing large. Fails with `not_found` where it is
/// none and `unavailable` where it is older than 3.10 or has no torch or numpy.
[[nodiscard]] Result<PythonEnvironment> inspect_python(const std::filesystem::path& interpreter,
                                                       const process::JailSupport& support);

}  // namespace assay::worker
