#include "process/cgroup_slot.hpp"

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/os.hpp"
#include "base/result.hpp"
#include "process/cgroup_files.hpp"
#include "process/cgroup_tree.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;
using Version = CgroupParent::Version;

Result<CgroupParent> make_group(const CgroupParent& parent, const std::string& name) {
  CgroupParent group{.version = parent.version, .directory = parent.directory / name};
  if (::mkdir(group.directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return std::unexpected(errno_error("make " + group.directory.string()));
  }
  return group;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// The number after `key` in a file of "key number" lines.
std::uint64_t keyed_number(const fs::path& file, std::string_view key) {
  const auto text = read_file(file);
  if (!text) return 0;
  const std::string wanted = "\n" + std::string(key) + " ";
  const std::string lines = "\n" + *text;
  const std::size_t at = lines.find(wanted);
  if (at == std::string::npos) return 0;
  return parse_number(std::string_view(lines).substr(at + wanted.size())).value_or(0);
}

/// Where the kernel does not account for swap the file is absent, and there is nothing to limit.
Result<void> write_if_present(const fs::path& file, std::string_view text) {
  std::error_code ignored;
  return fs::exists(file, ignored) ? write_cgroup_file(file, text) : Result<void>();
}

/// Swap too: otherwise a program over the limit is slow instead of stopped.
Result<void> limit_memory(const CgroupParent& group, std::uint64_t bytes) {
  const std::string limit = std::to_string(bytes);
  if (group.version == Version::v2) {
    auto limited = write_cgroup_file(group.directory / "memory.max", limit);
    return limited ? write_if_present(group.directory / "memory.swap.max", "0") : limited;
  }
  auto limited = write_cgroup_file(group.directory / "memory.limit_in_bytes", limit);
  return limited ? write_if_present(group.directory / "memory.memsw.limit_in_bytes", limit)
                 : limited;
}

}  // namespace

Result<CgroupSlot> CgroupSlot::create(const CgroupTree& tree, std::uint64_t memory_bytes,
                                      std::uint32_t processes, std::uint32_t share) {
  const std::string name = new_group_name();
  CgroupSlot slot;
  if (tree.memory) {
    ASSAY_TRY(slot.memory_, make_group(*tree.memory, name));
    if (auto limited = limit_memory(*slot.memory_, memory_bytes); !limited) {
      return std::unexpected(std::move(limited).error());
    }
  }
  if (tree.pids) {
    ASSAY_TRY(slot.pids_, make_group(*tree.pids, name));
    auto limited = write_cgroup_file(slot.pids_->directory / "pids.max", std::to_string(processes));
    if (!limited) return std::unexpected(std::move(limited).error());
  }
  slot.share_out(tree, name, share);
  for (const auto* group : {&slot.memory_, &slot.pids_}) {
    if (!*group || (*group)->version != Version::v2) continue;
    const fs::path& directory = (*group)->directory;  // of both, where both are there
    slot.directory_fd_.reset(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!slot.directory_fd_) return std::unexpected(errno_error("open " + directory.string()));
  }
  return slot;
}

/// A jail is whole without a share, so what the system does not allow here is left out. In version
/// 1 every controller has a tree of its own, and joining one may take 20 ms: so only who is to have
/// less than others gets a group there.
void CgroupSlot::share_out(const CgroupTree& tree, const std::string& name, std::uint32_t share) {
  if (!tree.cpu || share == kOrdinaryShare) return;
  if (tree.cpu->version == Version::v2) {
    const auto& group = memory_ ? memory_ : pids_;
    if (!group) return;
    for (const char* file : {"cpu.weight", "io.weight"}) {
      (void)write_if_present(group->directory / file, std::to_string(share));
    }
    return;
  }
  auto group = make_group(*tree.cpu, name);
  if (!group) return;
  constexpr std::uint32_t kSharesOfOthers = 1024;
  if (write_cgroup_file(group->directory / "cpu.shares",
                        std::to_string(kSharesOfOthers * share / kOrdinaryShare))) {
    cpu_ = *std::move(group);
  } else {
    remove_group(group->directory);
  }
}

CgroupSlot::CgroupSlot(CgroupSlot&& other) noexcept
    : memory_(std::exchange(other.memory_, std::nullopt)),
      pids_(std::exchange(other.pids_, std::nullopt)),
      cpu_(std::exchange(other.cpu_, std::nullopt)),
      directory_fd_(std::move(other.directory_fd_)) {}

CgroupSlot& CgroupSlot::operator=(CgroupSlot&& other) noexcept {
  if (this == &other) return *this;
  clear();
  memory_ = std::exchange(other.memory_, std::nullopt);
  pids_ = std::exchange(other.pids_, std::nullopt);
  cpu_ = std::exchange(other.cpu_, std::nullopt);
  directory_fd_ = std::move(other.directory_fd_);
  return *this;
}

CgroupSlot::~CgroupSlot() {
  clear();
}

void CgroupSlot::clear() {
  if (memory_) remove_group(memory_->directory);
  if (pids_) remove_group(pids_->directory);
  if (cpu_) remove_group(cpu_->directory);
  memory_.reset();
  pids_.reset();
  cpu_.reset();
}

Result<void> CgroupSlot::join(pid_t pid) const {
  for (const auto* group : {&memory_, &pids_, &cpu_}) {
    if (!*group || (*group)->version != Version::v1) continue;
    auto joined = write_cgroup_file((*group)->directory / "cgroup.procs", std::to_string(pid));
    if (!joined) return joined;
  }
  return {};
}

Result<void> CgroupSlot::adopt(pid_t pid) const {
  for (const auto* group : {&memory_, &pids_, &cpu_}) {
    if (!*group) continue;
    auto joined = write_cgroup_file((*group)->directory / "cgroup.procs", std::to_string(pid));
    if (!joined) return joined;
  }
  return {};
}

std::uint64_t CgroupSlot::out_of_memory_kills() const {
  if (!memory_) return 0;
  const bool v2 = memory_->version == Version::v2;
  return keyed_number(memory_->directory / (v2 ? "memory.events" : "memory.oom_control"),
                      "oom_kill");
}

std::optional<std::uint64_t> CgroupSlot::peak_memory_bytes() const {
  if (!memory_) return std::nullopt;
  const bool v2 = memory_->version == Version::v2;
  const auto text =
      read_file(memory_->directory / (v2 ? "memory.peak" : "memory.max_usage_in_bytes"));
  return text ? parse_number(*text) : std::nullopt;
}

void CgroupSlot::kill_all() const {
  if (pids_) kill_group(pids_->directory);
  if (memory_) kill_group(memory_->directory);
}

}  // namespace assay::process
