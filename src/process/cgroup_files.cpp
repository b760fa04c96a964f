#include "process/cgroup_files.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::process {
namespace {

void kill_listed(std::string_view pids) {
  while (!pids.empty()) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(pids.data(), pids.data() + pids.size(), pid);
    if (error == std::errc{} && pid > 0) ::kill(pid, SIGKILL);
    pids.remove_prefix(static_cast<std::size_t>(end - pids.data()));
    pids.remove_prefix(pids.empty() ? 0 : 1);
  }
}

}  // namespace

Result<void> write_cgroup_file(const std::filesystem::path& file, std::string_view text) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return std::unexpected(errno_error("open " + file.string()));
  if (::write(fd.get(), text.data(), text.size()) < 0) {
    return std::unexpected(errno_error("write '" + std::string(text) + "' to " + file.string()));
  }
  return {};
}

void kill_group(const std::filesystem::path& group) {
  if (write_cgroup_file(group / "cgroup.kill", "1")) return;  // version 2 since Linux 5.14
  if (const auto pids = read_file(group / "cgroup.procs")) kill_listed(*pids);
}

void remove_group(const std::filesystem::path& group) {
  std::vector<std::filesystem::path> children;  // collected first: removing disturbs the listing
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(group, ignored)) {
    if (entry.is_directory(ignored)) children.push_back(entry.path());
  }
  for (const auto& child : children) remove_group(child);
  // A killed process leaves its group only when its exit is done, so this may need some rounds.
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    if (::rmdir(group.c_str()) == 0 || errno != EBUSY) return;
    kill_group(group);
    std::this_thread::sleep_for(std::chrono::milliseconds(round < 10 ? 1 : 10));
  }
}

}  // namespace assay::process
