#include "store/data_dir.hpp"

#include <cerrno>
#include <chrono>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::store {
namespace {

constexpr std::chrono::milliseconds kRetry{20};

}  // namespace

Result<void> make_data_dir(const std::filesystem::path& path) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(path, error);
  if (error) {
    return fail(ErrorCode::invalid_argument,
                "make the data directory " + path.string() + ": " + error.message());
  }
  if (made) ::chmod(path.c_str(), S_IRWXU);
  return {};
}

Result<DataDir> DataDir::open(const std::filesystem::path& path,
                              std::chrono::milliseconds patience) {
  if (auto made = make_data_dir(path); !made) return std::unexpected(std::move(made).error());

  const std::string lock_path = (path / "lock").string();
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!lock) return std::unexpected(errno_error("open " + lock_path, ErrorCode::invalid_argument));
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return std::unexpected(errno_error("lock " + lock_path));
    if (patience <= std::chrono::milliseconds::zero()) {
      return fail(ErrorCode::conflict,
                  "the data directory " + path.string() + " is in use by another assay");
    }
    std::this_thread::sleep_for(kRetry);
    patience -= kRetry;
  }
  return DataDir(path, std::move(lock));
}

}  // namespace assay::store
