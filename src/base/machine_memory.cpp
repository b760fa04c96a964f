#include "base/machine_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/os.hpp"

namespace assay {
namespace {

constexpr std::uint64_t kEnough = std::uint64_t{4} << 30U;

std::optional<std::uint64_t> number_at(std::string_view text) {
  const auto first = text.find_first_of("0123456789");
  if (first == std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

/// "0::/user.slice/…" in version 2. Its parents limit it too.
std::uint64_t allowed_by_groups(const std::filesystem::path& root, std::uint64_t most) {
  const auto groups = read_file(root / "proc/self/cgroup");
  if (!groups || !groups->starts_with("0::/")) return most;
  const std::string_view line = std::string_view(*groups).substr(4, groups->find('\n') - 4);
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  for (std::filesystem::path group = mount / line;; group = group.parent_path()) {
    // "max" where there is no limit.
    const auto limit = read_file(group / "memory.max");
    if (limit) most = std::min(most, number_at(*limit).value_or(most));
    if (group == mount || !group.has_relative_path()) return most;
  }
}

}  // namespace

std::uint64_t machine_memory(const std::filesystem::path& root) {
  const auto meminfo = read_file(root / "proc/meminfo");
  if (!meminfo) return kEnough;
  const auto line = meminfo->find("MemTotal:");
  if (line == std::string::npos) return kEnough;
  const auto kibibytes = number_at(std::string_view(*meminfo).substr(line));
  return allowed_by_groups(root, kibibytes.value_or(kEnough / 1024) * 1024);
}

std::uint64_t share_of_memory(std::uint64_t machine) {
  return std::max(machine / 4, std::min(kEnough, machine / 2));
}

std::uint64_t most_tensor_bytes() {
  static const std::uint64_t kMost = std::max(kEnough, machine_memory() / 8);
  return kMost;
}

}  // namespace assay
