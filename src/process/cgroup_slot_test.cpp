#include "process/cgroup_slot.hpp"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.hpp"
#include "base/unique_fd.hpp"
#include "process/cgroup_files.hpp"
#include "process/cgroup_tree.hpp"
#include "process/clone_child.hpp"
#include "process/testkit/jail_fixture.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20U;

/// Of this process: others may be making and removing theirs.
std::size_t groups_in(const fs::path& parent) {
  const std::string ours = "assay-" + std::to_string(::getpid()) + "-";
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(ours)) ++count;
  }
  return count;
}

pid_t start_sleeper() {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) ::pause();
  }
  return child;
}

TEST(CgroupSlot, kills_what_is_left_in_it_and_vanishes) {
  ASSAY_NEEDS(cgroup_pids);
  CgroupTree tree = testkit::full_support().cgroups;
  const std::size_t before = groups_in(tree.pids->directory);
  const pid_t sleeper = start_sleeper();
  {
    const CgroupSlot slot = CgroupSlot::create(tree, kMemory, 5).value();
    ASSERT_TRUE(slot.join(sleeper) || slot.clone_fd() >= 0);
    if (slot.clone_fd() >= 0) ::kill(sleeper, SIGKILL);  // version 2 is joined at birth only
    EXPECT_EQ(groups_in(tree.pids->directory), before + 1);
    EXPECT_EQ(slot.out_of_memory_kills(), 0U);
  }
  EXPECT_EQ(groups_in(tree.pids->directory), before);
  EXPECT_EQ(reap(sleeper), SIGKILL);
}

TEST(CgroupSlot, vanishes_with_the_groups_that_were_made_in_it) {
  ASSAY_NEEDS(cgroup_pids);
  const fs::path group = testkit::full_support().cgroups.pids->directory / new_group_name();
  fs::create_directories(group / "inner" / "innermost");
  remove_group(group);
  EXPECT_FALSE(fs::exists(group));
}

TEST(CgroupSlot, is_removed_once_however_often_it_was_moved) {
  ASSAY_NEEDS(cgroup_memory);
  const CgroupTree& tree = testkit::full_support().cgroups;
  const std::size_t before = groups_in(tree.memory->directory);
  {
    CgroupSlot first = CgroupSlot::create(tree, kMemory, 5).value();
    CgroupSlot second = CgroupSlot::create(tree, kMemory, 5).value();
    EXPECT_EQ(groups_in(tree.memory->directory), before + 2);
    second = std::move(first);
    EXPECT_EQ(groups_in(tree.memory->directory), before + 1);
    const CgroupSlot third(std::move(second));
    EXPECT_EQ(groups_in(tree.memory->directory), before + 1);
  }
  EXPECT_EQ(groups_in(tree.memory->directory), before);
}

TEST(CgroupSlot, gives_a_smaller_share_of_the_processor_to_who_is_to_give_way) {
  const CgroupTree& tree = testkit::full_support().cgroups;
  if (!tree.cpu) GTEST_SKIP() << "needs the cpu controller";
  const bool v2 = tree.cpu->version == CgroupParent::Version::v2;
  const std::size_t before = groups_in(tree.cpu->directory);
  {
    const CgroupSlot slot = CgroupSlot::create(tree, kMemory, 5, 25).value();
    ASSERT_EQ(groups_in(tree.cpu->directory), before + 1);
    for (const auto& entry : fs::directory_iterator(tree.cpu->directory)) {
      if (!entry.path().filename().string().starts_with("assay-" + std::to_string(::getpid()) +
                                                        "-")) {
        continue;
      }
      EXPECT_EQ(read_file(entry.path() / (v2 ? "cpu.weight" : "cpu.shares")).value(),
                v2 ? "25\n" : "256\n");
    }
  }
  EXPECT_EQ(groups_in(tree.cpu->directory), before);
}

TEST(CgroupSlot, cannot_be_made_where_no_directory_can) {
  CgroupTree tree;
  tree.memory = {.version = CgroupParent::Version::v1, .directory = "/nonexistent"};
  EXPECT_FALSE(CgroupSlot::create(tree, kMemory, 5));
}

TEST(CgroupSlot, cannot_take_in_a_process_that_does_not_exist) {
  ASSAY_NEEDS(cgroup_memory);
  const CgroupSlot slot = CgroupSlot::create(testkit::full_support().cgroups, kMemory, 5).value();
  if (slot.clone_fd() >= 0) GTEST_SKIP() << "needs version 1";
  EXPECT_FALSE(slot.join(0x3fffffff));
}

TEST(CgroupSlot, cannot_adopt_a_process_that_does_not_exist) {
  ASSAY_NEEDS(cgroup_memory);
  const CgroupSlot slot = CgroupSlot::create(testkit::full_support().cgroups, kMemory, 5).value();
  EXPECT_FALSE(slot.adopt(0x3fffffff));
}

TEST(CgroupSlot, cannot_be_made_where_the_limits_cannot_be_set) {
  const auto ordinary = TempDir::create(fs::temp_directory_path(), "cgroups-").value();
  CgroupTree tree;
  tree.pids = {.version = CgroupParent::Version::v2, .directory = ordinary.path()};
  EXPECT_FALSE(CgroupSlot::create(tree, kMemory, 5));
  EXPECT_EQ(groups_in(ordinary.path()), 0U);
}

TEST(CgroupSlot, is_joined_at_birth_with_either_controller_alone_in_version_2) {
  for (auto CgroupTree::* controller : {&CgroupTree::memory, &CgroupTree::pids}) {
    CgroupTree tree;
    tree.*controller = testkit::full_support().cgroups.*controller;
    const auto& parent = tree.*controller;
    if (!parent || parent->version != CgroupParent::Version::v2) GTEST_SKIP() << "needs version 2";
    EXPECT_GE(CgroupSlot::create(tree, kMemory, 5).value().clone_fd(), 0);
  }
}

ASSAY_IN_CHILD int end_at_once(void*) {
  return 0;
}

TEST(CgroupSlot, is_joined_at_birth_in_version_2) {
  const fs::path unified = "/sys/fs/cgroup/unified";
  const fs::path group = unified / new_group_name();
  std::error_code error;
  if (!fs::create_directory(group, error)) GTEST_SKIP() << "needs a writable version-2 tree";
  const UniqueFd fd(::open(group.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto child = clone_child({.cgroup_fd = fd.get(), .entry = end_at_once}).value();
  // Not yet reaped, so it still has its entry.
  EXPECT_TRUE(read_file("/proc/" + std::to_string(child.pid) + "/cgroup")
                  .value()
                  .ends_with("0::/" + group.filename().string() + "\n"));
  EXPECT_EQ(reap(child.pid), 0);
  remove_group(group);
  EXPECT_FALSE(fs::exists(group));
}

}  // namespace
}  // namespace assay::process
