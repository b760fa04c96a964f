#include "base/machine_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/group_name.hpp"
#include "base/os.hpp"
#include "base/result.hpp"

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
    // "max" where there is no limit. What a server allows its worker says nothing of the machine.
    const bool ours = GroupName::parse(group.filename().string()).has_value();
    const auto limit = read_file(group / (ours ? "none" : "memory.max"));
    if (limit) most = std::min(most, number_at(*limit).value_or(most));
    if (group == mount || !group.has_relative_path()) return most;
  }
}

}  // namespace

Result<std::uint64_t> total_memory(const std::filesystem::path& proc) {
  ASSAY_TRY(const std::string meminfo, read_file(proc / "meminfo"));
  std::optional<std::uint64_t> kibibytes;
  if (const auto begin = meminfo.find("MemTotal:"); begin != std::string::npos) {
    kibibytes =
        number_at(std::string_view(meminfo).substr(begin, meminfo.find('\n', begin) - begin));
  }
  if (!kibibytes) {
    return fail(ErrorCode::internal, (proc / "meminfo").string() + " has no MemTotal");
  }
  return *kibibytes * 1024;
}

std::uint64_t machine_memory(const std::filesystem::path& root) {
  return allowed_by_groups(root, total_memory(root / "proc").value_or(kEnough));
}

std::uint64_t share_of_memory(std::uint64_t machine) {
  return std::max(machine / 4, std::min(kEnough, machine / 2));
}

std::uint64_t share_for_tensors(std::uint64_t memory) {
  return std::max(memory / 8, std::min(kEnough, memory / 4));
}

std::uint64_t share_for_kernel(std::uint64_t memory) {
  return memory / 4 * 3;
}

std::string gibibytes(std::uint64_t bytes) {
  constexpr double kSmall = 10;
  const double size = static_cast<double>(bytes) / 0x1p30;
  return size < kSmall ? fmt::format("{:.1f} GiB", size) : fmt::format("{:.0f} GiB", size);
}

}  // namespace assay
