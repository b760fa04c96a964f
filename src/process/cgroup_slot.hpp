#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/cgroup_tree.hpp"

namespace assay::process {

/// A control group made for one jail and never used again. Its destructor kills what is left in
/// it and removes it.
class [[nodiscard]] CgroupSlot {
 public:
  /// A part the tree does not have is left out.
  [[nodiscard]] static Result<CgroupSlot> create(const CgroupTree& tree, std::uint64_t memory_bytes,
                                                 std::uint32_t processes);
  CgroupSlot(CgroupSlot&& other) noexcept;
  CgroupSlot& operator=(CgroupSlot&& other) noexcept;
  CgroupSlot(const CgroupSlot&) = delete;
  CgroupSlot& operator=(const CgroupSlot&) = delete;
  ~CgroupSlot();

  /// Version 2: give this to clone3 (CLONE_INTO_CGROUP), which joins at no cost. Otherwise -1.
  [[nodiscard]] int clone_fd() const { return directory_fd_.get(); }
  /// Version 1: moves a process in. Mostly 50 us, but the kernel may wait for a grace period:
  /// one join in ten took 10 to 20 ms, so the child had better be busy meanwhile.
  [[nodiscard]] Result<void> join(pid_t pid) const;
  /// Either version: moves in a process that somebody else has started.
  [[nodiscard]] Result<void> adopt(pid_t pid) const;

  /// How many processes the kernel killed because the memory limit was reached.
  [[nodiscard]] std::uint64_t out_of_memory_kills() const;
  /// Nothing where the kernel does not keep it.
  [[nodiscard]] std::optional<std::uint64_t> peak_memory_bytes() const;
  void kill_all() const;

 private:
  CgroupSlot() = default;
  void clear();

  std::optional<CgroupParent> memory_;  // here: our own group, not its parent
  std::optional<CgroupParent> pids_;
  UniqueFd directory_fd_;
};

}  // namespace assay::process
