#include "process/pause.hpp"

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <signal.h>
#include <sys/types.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::microseconds kBetweenLooks{50};  // a thread that runs stops within some 10

/// Of a space-separated list.
std::vector<pid_t> parse_pids(std::string_view text) {
  std::vector<pid_t> pids;
  while (!text.empty()) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (error != std::errc{}) break;
    pids.push_back(pid);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return pids;
}

template <class Visit>
void for_each_task(pid_t process, Visit visit) {
  std::error_code gone;
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", process), gone), end;
       !gone && task != end; task.increment(gone)) {
    visit(task->path());
  }
}

/// Parents before their children. Whatever a thread started is listed under it.
std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> found{root};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for_each_task(found[next], [&](const fs::path& task) {
      const auto children = read_file(task / "children");
      if (!children) return;
      for (const pid_t child : parse_pids(*children)) found.push_back(child);
    });
  }
  found.erase(found.begin());
  return found;
}

/// From /proc/PID/task/TID/stat: pid (name) STATE ...
bool is_at_rest(const fs::path& task) {
  const auto stat = read_file(task / "stat");
  if (!stat) return true;  // gone
  const std::size_t name_end = stat->rfind(") ");
  if (name_end == std::string::npos) return true;
  constexpr std::string_view kAtRest = "TtZX";  // stopped, traced, dead; not merely asleep
  return kAtRest.contains((*stat)[name_end + 2]);
}

bool is_stopped(pid_t process) {
  bool stopped = true;
  for_each_task(process, [&](const fs::path& task) { stopped = stopped && is_at_rest(task); });
  return stopped;
}

/// Whether all had been stopped before.
bool stop_all(const std::vector<pid_t>& processes) {
  bool stopped = true;
  for (const pid_t process : processes) {
    if (is_stopped(process)) continue;
    stopped = false;
    ::kill(process, SIGSTOP);
  }
  return stopped;
}

}  // namespace

Result<void> pause_below(pid_t init, std::chrono::nanoseconds patience) {
  const SystemClock clock;
  const Deadline deadline(clock, patience);
  std::vector<pid_t> known;
  while (true) {
    auto processes = descendants_of(init);
    // One that was started while the others were looked at is seen by the second look: by then
    // whoever could have started it is stopped.
    if (stop_all(processes) && processes == known) return {};
    known = std::move(processes);
    if (deadline.expired()) {
      return fail(ErrorCode::deadline_exceeded, "processes of a runner cannot be stopped");
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void resume_below(pid_t init) {
  for (const pid_t process : descendants_of(init)) ::kill(process, SIGCONT);
}

}  // namespace assay::process
