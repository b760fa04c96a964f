#include "store/disk_room.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::store {

std::uint64_t DiskRoom::free_bytes() const {
  struct statvfs status{};
  // A file system that does not answer is not full as far as we know: writing will tell.
  if (::statvfs(directory_.c_str(), &status) != 0) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

Result<void> DiskRoom::check(std::uint64_t bytes) const {
  const std::uint64_t free = free_bytes();
  if (free >= keep_free_ && free - keep_free_ >= bytes) return {};
  return fail(ErrorCode::resource_exhausted,
              fmt::format("the server's disk has {} MiB left, and {} MiB must stay free: jobs "
                          "are taken again when there is room",
                          free >> 20U, keep_free_ >> 20U));
}

void DiskRoom::keep_reserve() const {
  std::error_code ignored;
  if (std::filesystem::exists(reserve(), ignored) || !check(kReserve)) return;
  const UniqueFd file(::open(reserve().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) return;
  if (::posix_fallocate(file.get(), 0, static_cast<off_t>(kReserve)) != 0) give_up_reserve();
}

bool DiskRoom::give_up_reserve() const {
  std::error_code ignored;
  return std::filesystem::remove(reserve(), ignored);
}

}  // namespace assay::store
