#include "process/jail_profile.hpp"

#include <expected>
#include <filesystem>

#include <sys/types.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::process {

Result<void> give_to_jail(const std::filesystem::path& directory) {
  if (::geteuid() != 0) return {};
  if (::chown(directory.c_str(), uid_t{kJailId}, gid_t{kJailId}) != 0) {
    return std::unexpected(errno_error("give " + directory.string() + " to the jail's user"));
  }
  return {};
}

}  // namespace assay::process
