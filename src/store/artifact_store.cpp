#include "store/artifact_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "store/compression.hpp"

namespace assay::store {
namespace fs = std::filesystem;
namespace {

struct Entry {
  fs::path path;
  std::uint64_t bytes;
  fs::file_time_type used;
};

Result<std::vector<Entry>> list_files(const fs::path& directory) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;  // another process may be sweeping too
    if (!it->is_regular_file(gone)) continue;
    const std::uint64_t bytes = it->file_size(gone);
    const auto used = it->last_write_time(gone);
    if (!gone) entries.push_back({.path = it->path(), .bytes = bytes, .used = used});
  }
  if (error) {
    return fail(ErrorCode::internal, "list " + directory.string() + ": " + error.message());
  }
  return entries;
}

}  // namespace

Result<ArtifactStore> ArtifactStore::open(fs::path directory, const Clock& clock) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    return fail(ErrorCode::invalid_argument, "make " + directory.string() + ": " + error.message());
  }
  return ArtifactStore(std::move(directory), clock);
}

fs::path ArtifactStore::path_of(const Digest& digest) const {
  // Two levels: some file systems are slow with very many names in one directory.
  const std::string name = digest.hex();
  return directory_ / name.substr(0, 2) / name.substr(2);
}

/// Use is kept as the modification time; access times are often switched off.
void ArtifactStore::mark_used(const fs::path& path) const {
  const auto now = clock_->wall_now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now);
  const timespec time{.tv_sec = seconds.count(),
                      .tv_nsec = std::chrono::nanoseconds(now - seconds).count()};
  const timespec times[2] = {time, time};
  ::utimensat(AT_FDCWD, path.c_str(), times, 0);  // a lost mark only makes it look older
}

Result<Digest> ArtifactStore::put(std::string_view bytes) const {
  const Digest digest = sha256(bytes);
  const fs::path path = path_of(digest);
  std::error_code error;
  if (!fs::exists(path, error)) {
    fs::create_directories(path.parent_path(), error);
    if (auto written = write_file_atomically(path, pack(bytes)); !written) {
      return std::unexpected(std::move(written).error().while_doing("keep an artifact"));
    }
  }
  mark_used(path);
  return digest;
}

Result<std::string> ArtifactStore::get(const Digest& digest) const {
  const fs::path path = path_of(digest);
  ASSAY_TRY(const std::string packed, read_file(path));
  auto bytes = unpack(packed);
  if (!bytes || sha256(*bytes) != digest) {
    std::error_code ignored;
    fs::remove(path, ignored);
    return fail(ErrorCode::data_loss, "artifact " + digest.hex() + " fails its digest");
  }
  mark_used(path);
  return bytes;
}

bool ArtifactStore::contains(const Digest& digest) const {
  std::error_code error;
  return fs::exists(path_of(digest), error);
}

Result<ArtifactSweep> ArtifactStore::sweep(std::uint64_t max_bytes) const {
  ASSAY_TRY(std::vector<Entry> entries, list_files(directory_));
  std::ranges::sort(entries, {}, &Entry::used);
  ArtifactSweep report;
  for (const Entry& entry : entries) report.bytes_kept += entry.bytes;
  for (const Entry& entry : entries) {
    if (report.bytes_kept <= max_bytes) break;
    std::error_code error;
    if (fs::remove(entry.path, error)) ++report.removed;
    if (!error) report.bytes_kept -= entry.bytes;
  }
  return report;
}

}  // namespace assay::store
