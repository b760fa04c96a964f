#include "process/jail_profile.hpp"

#include <expected>
#include <filesystem>
#include <utility>

#include <sys/types.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::process {

bool is_recorded(SyscallPolicy policy) {
  switch (policy) {
    case SyscallPolicy::compiler:
    case SyscallPolicy::runner:
    case SyscallPolicy::python:
    case SyscallPolicy::zygote:
      return true;
    case SyscallPolicy::gpu_compiler:
    case SyscallPolicy::gpu_runner:
    case SyscallPolicy::gpu_zygote:
    case SyscallPolicy::gpu_profiler:
      return false;
  }
  std::unreachable();
}

Result<void> give_to_jail(const std::filesystem::path& directory) {
  if (::geteuid() != 0) return {};
  if (::chown(directory.c_str(), uid_t{kJailId}, gid_t{kJailId}) != 0) {
    return std::unexpected(errno_error("give " + directory.string() + " to the jail's user"));
  }
  return {};
}

}  // namespace assay::process
