#include "worker/kept_files.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/disk_budget.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::worker {
namespace {

constexpr std::size_t kDigestSize = 64;  // in hexadecimal, before the content

std::vector<DiskEntry> entries_under(const std::filesystem::path& directory) {
  std::vector<DiskEntry> entries;
  std::error_code ignored;
  for (const auto& item : std::filesystem::directory_iterator(directory, ignored)) {
    const std::uintmax_t size = item.file_size(ignored);
    if (!ignored) entries.push_back({item.path(), last_use(item.path()), size_on_disk(size)});
  }
  return entries;
}

void unlink_file(const std::filesystem::path& path) {
  std::error_code ignored;  // another worker was first
  std::filesystem::remove(path, ignored);
}

}  // namespace

Result<std::unique_ptr<KeptFiles>> KeptFiles::open(std::filesystem::path directory,
                                                   std::uint64_t limit, const Clock& clock) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    return fail(ErrorCode::internal, "create " + directory.string() + ": " + failure.message());
  }
  return std::unique_ptr<KeptFiles>(new KeptFiles(std::move(directory), limit, clock));
}

KeptFiles::KeptFiles(std::filesystem::path directory, std::uint64_t limit, const Clock& clock)
    : directory_(std::move(directory)),
      clock_(clock),
      budget_(
          {.bytes = limit, .protection = std::chrono::milliseconds(0)}, clock,
          [this] { return entries_under(directory_); }, unlink_file) {
  budget_.added(0);
}

std::optional<std::string> KeptFiles::find(const Digest& key, std::size_t largest) {
  const std::filesystem::path path = directory_ / key.hex();
  auto whole = read_file(path, kDigestSize + largest);
  if (!whole) return std::nullopt;
  const std::string_view content =
      std::string_view(*whole).substr(std::min(kDigestSize, whole->size()));
  if (sha256(content).hex() != std::string_view(*whole).substr(0, kDigestSize)) {
    unlink_file(path);
    return std::nullopt;
  }
  mark_used(path, clock_);
  whole->erase(0, kDigestSize);
  return *std::move(whole);
}

void KeptFiles::keep(const Digest& key, std::string_view content) {
  const std::filesystem::path path = directory_ / key.hex();
  std::string whole = sha256(content).hex();
  whole += content;
  if (!write_file_atomically(path, whole)) return;
  mark_used(path, clock_);
  budget_.added(size_on_disk(whole.size()));
}

}  // namespace assay::worker
