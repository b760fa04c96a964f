#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "process/cgroup_tree.hpp"

namespace assay::process {

inline constexpr std::uint32_t kOrdinaryShare = 100;

/// A control group made for one jail and never used again. Its destructor kills what is left in
/// it and removes it.
class [[nodiscard]] CgroupSlot {
 public:
  /// Leaves out a part that the tree does not have. `share` is how much of the processor and the
  /// disk it gets when others want them too: each of those has 100.
  [[nodiscard]] static Result<CgroupSlot> create(const CgroupTree& tree, std::uint64_t memory_bytes,
                                                 std::uint32_t processes,
                                                 std::uint32_t share = kOrdinaryShare);
  CgroupSlot(CgroupSlot&& other) noexcept;
  CgroupSlot& operator=(CgroupSlot&& other) noexcept;
  CgroupSlot(const CgroupSlot&) = delete;
  CgroupSlot& operator=(const CgroupSlot&) = delete;
  ~CgroupSlot();

  /// Version 2: give this to clone3 (CLONE_INTO_CGROUP), which joins at no cost. Otherwise -1.
  [[nodiscard]] int clone_fd() const { return directory_fd_.get(); }
  /// Version 1: moves a process in. It mostly takes 50 us. But the kernel may wait for a grace
  /// period: one join in ten took 10 to 20 ms. So the child should have something to do meanwhile.
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
  void share_out(const CgroupTree& tree, const std::string& name, std::uint32_t share);
  void clear();

  std::optional<CgroupParent> memory_;  // here: our own group, not its parent
  std::optional<CgroupParent> pids_;
  std::optional<CgroupParent> cpu_;  // version 1, with a share of its own; else that of the others
  UniqueFd directory_fd_;
};

}  // namespace assay::process
