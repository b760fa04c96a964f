#include "process/processor_wait.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/core.h>
#include <sys/types.h>

#include "base/os.hpp"
#include "base/processor_use.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

/// From /proc/PID/task/TID/schedstat: RAN WAITED slices, in nanoseconds.
std::optional<ProcessorUse> use_of(const std::string& schedstat) {
  const char* const end = schedstat.data() + schedstat.size();
  std::int64_t ran = 0;
  std::int64_t waited = 0;
  const auto first = std::from_chars(schedstat.data(), end, ran);
  if (first.ec != std::errc{} || first.ptr == end) return std::nullopt;
  if (std::from_chars(first.ptr + 1, end, waited).ec != std::errc{}) return std::nullopt;
  return ProcessorUse{.ran = std::chrono::nanoseconds(ran),
                      .waited = std::chrono::nanoseconds(waited)};
}

}  // namespace

std::optional<ProcessorUse> processor_use(pid_t process) {
  std::optional<ProcessorUse> sum;
  std::error_code gone;
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", process), gone), end;
       !gone && task != end; task.increment(gone)) {
    const auto text = read_file(task->path() / "schedstat");
    const auto use = text ? use_of(*text) : std::nullopt;
    if (!use) continue;
    if (!sum) sum.emplace();
    sum->ran += use->ran;
    sum->waited += use->waited;
  }
  return sum;
}

}  // namespace assay::process
