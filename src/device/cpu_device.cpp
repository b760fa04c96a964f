#include "device/cpu_device.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <sched.h>

#include "base/machine_memory.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"

namespace assay::device {
namespace {

/// The text behind "key   :" in a file of such lines, without the white space around it.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string_view::npos || begin == std::string_view::npos) continue;
    return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
  }
  return std::nullopt;
}

std::uint32_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  }
  return std::thread::hardware_concurrency();
}

}  // namespace

Result<DeviceInfo> cpu_device(const std::filesystem::path& proc) {
  ASSAY_TRY(const std::string cpuinfo, read_file(proc / "cpuinfo"));
  ASSAY_TRY(const std::uint64_t memory, total_memory(proc));
  // Not every architecture has a model name.
  const std::string_view name = value_of(cpuinfo, "model name").value_or("CPU");
  return DeviceInfo{.id = DeviceId{"cpu"},
                    .kind = DeviceKind::cpu,
                    .name = std::string(name),
                    .memory_bytes = memory,
                    .units = usable_cores()};
}

}  // namespace assay::device
