#include "process/descendants.hpp"

#include <charconv>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

pid_t parse_pid(std::string_view text) {
  pid_t pid = -1;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return pid;
}

/// From /proc/PID/stat: pid (name) state PARENT ...
pid_t parent_of(const fs::path& process) {
  const auto stat = read_file(process / "stat");
  if (!stat) return -1;
  const std::size_t name_end = stat->rfind(") ");
  if (name_end == std::string::npos) return -1;
  constexpr std::size_t kStateAndSpaces = 4;  // ") S "
  return parse_pid(std::string_view(*stat).substr(name_end + kStateAndSpaces));
}

void kill_children() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t pid = parse_pid(entry.path().filename().string());
    if (pid > 0 && parent_of(entry.path()) == ::getpid()) ::kill(pid, SIGKILL);
  }
}

}  // namespace

void kill_descendants() {
  // Each round kills one generation; the next one then falls to us.
  while (true) {
    const pid_t pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid < 0) return;  // no children left
    if (pid > 0) continue;
    kill_children();
    (void)::waitpid(-1, nullptr, 0);
  }
}

}  // namespace assay::process
