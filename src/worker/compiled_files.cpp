#include "worker/compiled_files.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
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
#include "eval/compiled_store.hpp"
#include "model/kernel.hpp"

namespace assay::worker {
namespace {

constexpr std::string_view kFormat = "zip 1";  // of what runners pack
constexpr std::size_t kDigestSize = 64;        // in hexadecimal, before the content

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

Result<std::unique_ptr<CompiledFiles>> CompiledFiles::open(std::filesystem::path directory,
                                                           std::string scope, std::uint64_t limit,
                                                           const Clock& clock) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure) {
    return fail(ErrorCode::internal, "create " + directory.string() + ": " + failure.message());
  }
  return std::unique_ptr<CompiledFiles>(
      new CompiledFiles(std::move(directory), std::move(scope), limit, clock));
}

CompiledFiles::CompiledFiles(std::filesystem::path directory, std::string scope,
                             std::uint64_t limit, const Clock& clock)
    : directory_(std::move(directory)),
      scope_(std::move(scope)),
      clock_(clock),
      budget_(
          {.bytes = limit, .protection = std::chrono::milliseconds(0)}, clock,
          [this] { return entries_under(directory_); }, unlink_file) {
  budget_.added(0);
}

std::filesystem::path CompiledFiles::path_of(const Kernel& kernel) const {
  const Digest key = Hasher()
                         .field(kFormat)
                         .field(scope_)
                         .field(to_string(kernel.type))
                         .field(kernel.source)
                         .finish();
  return directory_ / key.hex();
}

std::optional<std::vector<std::byte>> CompiledFiles::find(const Kernel& kernel) {
  const std::filesystem::path path = path_of(kernel);
  const auto content = read_file(path, kDigestSize + eval::kMaxCompiledBytes);
  if (!content) return std::nullopt;
  const std::string_view whole = *content;
  const std::string_view packed = whole.substr(std::min(kDigestSize, whole.size()));
  if (sha256(packed).hex() != whole.substr(0, kDigestSize)) {
    unlink_file(path);
    return std::nullopt;
  }
  mark_used(path, clock_);
  const auto bytes = std::as_bytes(std::span(packed));
  return std::vector(bytes.begin(), bytes.end());
}

void CompiledFiles::keep(const Kernel& kernel, std::span<const std::byte> packed) {
  // A copy before its digest: the runner can still write to the original.
  std::string content(kDigestSize, '\0');
  content.append(reinterpret_cast<const char*>(packed.data()), packed.size());
  content.replace(0, kDigestSize, sha256(std::string_view(content).substr(kDigestSize)).hex());
  const std::filesystem::path path = path_of(kernel);
  if (!write_file_atomically(path, content)) return;
  mark_used(path, clock_);
  budget_.added(size_on_disk(content.size()));
}

}  // namespace assay::worker
