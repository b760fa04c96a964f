#include "profile/run_store.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/file.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "profile/manifest.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPinned = "pinned";    // a file of this name
constexpr std::string_view kRunning = "running";  // one that is locked while it runs
constexpr std::string_view kSweep = "sweep-";     // a folder with a folder for each point

std::uintmax_t size_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  }
  return bytes;
}

bool is_running(const fs::path& folder) {
  const UniqueFd file(::open((folder / kRunning).c_str(), O_RDONLY | O_CLOEXEC));
  return file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
}

/// What runs are ordered by: the second in which they began, and their number in it.
std::pair<std::string, int> began(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::size_t end = name.find('Z');
  if (end == std::string::npos || end + 2 > name.size()) return {name, 1};
  int number = 1;
  std::from_chars(name.data() + end + 2, name.data() + name.size(), number);
  return {name.substr(0, end + 1), number};
}

RunRecord record_of(const fs::path& root, const fs::path& folder) {
  std::error_code error;
  RunRecord out{.id = folder.lexically_relative(root).generic_string(),
                .folder = folder,
                .bytes = size_of(folder),
                .pinned = fs::exists(folder / kPinned, error),
                .running = is_running(folder)};
  if (const auto manifest = read_file(folder / kManifest)) {
    out.command = manifest_text(*manifest, "command_line");
    out.exit_code = manifest_text(*manifest, "exit_code");
  }
  return out;
}

/// Whether it is a folder that create() made. Many a folder holds a manifest.json, and what is
/// listed here may be removed.
bool is_run(const fs::path& folder) {
  const std::string name = folder.filename().string();
  constexpr std::string_view kForm = "0000-00-00T00-00-00Z";
  const auto fits = [](char form, char c) {
    return form == '0' ? c >= '0' && c <= '9' : c == form;
  };
  std::error_code error;
  return name.size() >= kForm.size() &&
         std::ranges::equal(kForm, name.substr(0, kForm.size()), fits) &&
         fs::exists(folder / kManifest, error);
}

/// Adds the runs right under `folder`.
void add_runs(const fs::path& root, const fs::path& folder, std::vector<RunRecord>& runs) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_run(entry.path())) runs.push_back(record_of(root, entry.path()));
  }
}

}  // namespace

RunningMark::RunningMark(const fs::path& folder)
    : lock_(::open((folder / kRunning).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (lock_.get() >= 0) (void)::flock(lock_.get(), LOCK_EX | LOCK_NB);
}

std::string run_time(WallTime time) {
  return fmt::format("{:%Y-%m-%dT%H-%M-%S}Z",
                     std::chrono::time_point_cast<std::chrono::seconds>(time));
}

Result<fs::path> RunStore::create(const Clock& clock) const {
  const std::string name = run_time(clock.wall_now());
  std::error_code error;
  fs::create_directories(root_, error);
  for (int number = 1; number < 1000 && !error; ++number) {
    fs::path folder = root_ / (number == 1 ? name : fmt::format("{}-{}", name, number));
    if (fs::create_directory(folder, error)) return folder;
  }
  return fail(ErrorCode::unavailable, fmt::format("make a folder for the run under {}: {}",
                                                  root_.string(), error.message()));
}

Result<std::vector<RunRecord>> RunStore::list() const {
  std::vector<RunRecord> runs;
  add_runs(root_, root_, runs);
  std::error_code error;
  for (const auto& sweep : fs::directory_iterator(root_, error)) {
    if (!sweep.path().filename().string().starts_with(kSweep)) continue;
    std::error_code inner;
    for (const auto& point : fs::directory_iterator(sweep.path(), inner)) {
      if (point.is_directory(inner)) add_runs(root_, point.path(), runs);
    }
  }
  std::ranges::sort(runs, std::greater{}, [](const RunRecord& run) { return began(run.folder); });
  return runs;
}

Result<RunRecord> RunStore::find(std::string_view id) const {
  ASSAY_TRY(const std::vector<RunRecord> runs, list());
  if (id == "last" && !runs.empty()) return runs.front();
  const RunRecord* found = nullptr;
  for (const RunRecord& run : runs) {
    const std::string name = run.folder.filename().string();
    if (run.id == id || name == id) return run;
    if ((!run.id.starts_with(id) && !name.starts_with(id)) || id.empty()) continue;
    if (found != nullptr) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' fits several runs, such as {} and {}", id, found->id, run.id));
    }
    found = &run;
  }
  if (found != nullptr) return *found;
  return fail(ErrorCode::not_found, fmt::format("no run '{}' under {}", id, root_.string()));
}

Result<void> RunStore::pin(std::string_view id, bool pinned) const {
  ASSAY_TRY(const RunRecord run, find(id));
  if (pinned) return write_file_atomically(run.folder / kPinned, "");
  std::error_code error;
  fs::remove(run.folder / kPinned, error);
  return {};
}

Result<std::vector<std::string>> RunStore::prune(const PruneRule& rule, const Clock& clock) const {
  ASSAY_TRY(const std::vector<RunRecord> runs, list());
  const std::string oldest =
      rule.older_than ? run_time(clock.wall_now() - *rule.older_than) : std::string();
  std::uintmax_t kept = 0;
  bool full = false;  // from here on all go, small ones too: those before them are newer
  std::vector<std::string> removed;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunRecord& run = runs[i];
    const bool many = rule.keep_last && i >= *rule.keep_last;
    const bool old = began(run.folder).first < oldest;
    full = full || (rule.keep_bytes && kept + run.bytes > *rule.keep_bytes);
    const bool large = full && i > 0;
    if (run.pinned || run.running || (!many && !old && !large)) {
      kept += run.bytes;
      continue;
    }
    std::error_code error;
    fs::remove_all(run.folder, error);
    if (error) {
      return fail(ErrorCode::unavailable,
                  fmt::format("remove {}: {}", run.folder.string(), error.message()));
    }
    removed.push_back(run.id);
  }
  return removed;
}

}  // namespace assay::profile
