#include "access/audit.hpp"

#include <chrono>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/mutex.hpp"
#include "base/os.hpp"
#include "base/printable.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::access {
namespace {

UniqueFd open_to_append(const std::filesystem::path& path) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                         S_IRUSR | S_IWUSR));
}

/// What strangers send can be long, and would push the deeds of others out of the file.
constexpr std::size_t kLongestWhat = 200;

std::string line_of(const Deed& deed, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const std::string line =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} by {} from {}: {}",
                  fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                  (now - seconds).count(), deed.action, deed.who.empty() ? "nobody" : deed.who,
                  deed.from, deed.what.substr(0, kLongestWhat));
  return printable_line(line) + '\n';  // one deed, one line
}

}  // namespace

Result<Audit> Audit::open(std::filesystem::path path, const Clock& clock, std::size_t full) {
  UniqueFd file = open_to_append(path);
  if (!file) {
    return std::unexpected(errno_error("open " + path.string(), ErrorCode::invalid_argument));
  }
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  return Audit(std::move(path), clock, full, std::move(file),
               size < 0 ? 0 : static_cast<std::size_t>(size));
}

Audit::Audit(Audit&& other) noexcept
    : path_(std::move(other.path_)),
      clock_(other.clock_),
      full_(other.full_),
      file_(std::move(other.file_)),
      size_(other.size_) {}

void Audit::note(const Deed& deed) {
  const std::string line = line_of(deed, clock_->wall_now());
  const MutexLock lock(mutex_);
  if (size_ + line.size() > full_) start_another();
  [[maybe_unused]] const ssize_t ignored = ::write(file_.get(), line.data(), line.size());
  size_ += line.size();
}

void Audit::start_another() {
  std::error_code ignored;
  std::filesystem::rename(path_, path_.string() + ".1", ignored);
  if (UniqueFd next = open_to_append(path_)) file_ = std::move(next);
  size_ = 0;
}

}  // namespace assay::access
