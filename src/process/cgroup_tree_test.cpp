#include "process/cgroup_tree.hpp"

#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/os.hpp"

namespace assay::process {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHybridMounts =
    "30 24 0:26 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "31 30 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "32 30 0:28 / /sys/fs/cgroup/cpu,pids rw shared:9 - cgroup cgroup rw,cpu,pids\n"
    "33 30 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr std::string_view kHybridMembership =
    "4:memory:/jobs/7\n"
    "3:cpu,pids:/\n"
    "0::/\n";

TEST(CgroupTree, finds_our_group_of_each_controller_in_a_hybrid_system) {
  EXPECT_EQ(own_cgroup(kHybridMounts, kHybridMembership, "memory").value(),
            "/sys/fs/cgroup/memory/jobs/7");
  EXPECT_EQ(own_cgroup(kHybridMounts, kHybridMembership, "pids").value(),
            "/sys/fs/cgroup/cpu,pids");
  EXPECT_EQ(own_cgroup(kHybridMounts, kHybridMembership, "").value(), "/sys/fs/cgroup/unified");
}

TEST(CgroupTree, finds_our_group_where_a_container_sees_only_its_own_part) {
  constexpr std::string_view kMounts =
      "31 30 0:27 /docker/abc /sys/fs/cgroup ro,relatime - cgroup2 cgroup rw\n";
  EXPECT_EQ(own_cgroup(kMounts, "0::/docker/abc/inner\n", "").value(), "/sys/fs/cgroup/inner");
  EXPECT_EQ(own_cgroup(kMounts, "0::/docker/abc\n", "").value(), "/sys/fs/cgroup");
}

TEST(CgroupTree, does_not_take_a_group_that_is_not_mounted_for_ours) {
  constexpr std::string_view kMounts =
      "31 30 0:27 /docker/abc /sys/fs/cgroup rw,relatime - cgroup2 cgroup rw\n";
  for (const std::string_view membership :
       {"0::/docker/abcd\n", "0::/\n", "0::/../other\n", "0::/docker/abc/../def\n"}) {
    EXPECT_EQ(own_cgroup(kMounts, membership, "").error().code(), ErrorCode::unavailable)
        << membership;
  }
}

TEST(CgroupTree, says_what_is_not_there) {
  EXPECT_EQ(own_cgroup(kHybridMounts, kHybridMembership, "blkio").error().message(),
            "no cgroup mount for the blkio");
  EXPECT_EQ(own_cgroup(kHybridMounts, "0::/\n", "memory").error().code(), ErrorCode::not_found);
  EXPECT_FALSE(own_cgroup("not a mount\n", "nor a membership\n", ""));
}

/// Ordinary directories that look like version-2 groups.
class FakeGroups {
 public:
  FakeGroups() : root_(TempDir::create(fs::temp_directory_path(), "cgroups-").value()) {}
  [[nodiscard]] const fs::path& root() const { return root_.path(); }
  [[nodiscard]] fs::path add(const std::string& name, std::string_view controllers,
                             std::string_view members) const {
    const fs::path group = root() / name;
    fs::create_directories(group);
    write(group / "cgroup.controllers", controllers);
    write(group / "cgroup.procs", members);
    return group;
  }
  static void write(const fs::path& file, std::string_view text) {
    ASSERT_TRUE(write_file_atomically(file, text));
  }

 private:
  TempDir root_;
};

TEST(CgroupTree, delegates_a_group_that_already_hands_its_controllers_down) {
  const FakeGroups fake;
  const fs::path own = fake.add("own", "cpu memory pids\n", "1\n2\n");
  FakeGroups::write(own / "cgroup.subtree_control", "memory pids\n");
  EXPECT_EQ(delegate_v2(own, fake.root()).value(), own);
}

TEST(CgroupTree, turns_the_controllers_on_where_that_is_allowed) {
  const FakeGroups fake;
  const fs::path own = fake.add("own", "memory pids\n", "");
  FakeGroups::write(own / "cgroup.subtree_control", "");
  EXPECT_EQ(delegate_v2(own, fake.root()).value(), own);
  EXPECT_EQ(read_file(own / "cgroup.subtree_control").value(), "+memory +pids");
}

TEST(CgroupTree, uses_the_parent_of_a_group_that_holds_other_processes) {
  const FakeGroups fake;
  const fs::path own = fake.add("slice/own", "memory pids\n", "1\n2\n");
  FakeGroups::write(fake.root() / "slice" / "cgroup.subtree_control", "memory pids\n");
  EXPECT_EQ(delegate_v2(own, fake.root()).value(), fake.root() / "slice");
}

TEST(CgroupTree, cannot_delegate_what_is_not_offered_or_is_shared_at_the_top) {
  const FakeGroups fake;
  EXPECT_EQ(delegate_v2(fake.add("poor", "hugetlb\n", ""), fake.root()).error().code(),
            ErrorCode::unavailable);
  const fs::path top = fake.add("top", "memory pids\n", "1\n2\n");
  EXPECT_EQ(delegate_v2(top, top).error().code(), ErrorCode::unavailable);
  EXPECT_FALSE(delegate_v2("/nonexistent/group", "/nonexistent"));
}

TEST(CgroupTree, leaves_the_group_that_a_server_made_for_its_worker) {
  EXPECT_EQ(outside_of_ours("/cg/app/assay-1-99-abcdef01"), "/cg/app");
  EXPECT_EQ(outside_of_ours("/cg/assay-1-99-abcdef01/assay-2-99-abcdef02"), "/cg");
  EXPECT_EQ(outside_of_ours("/cg/assay-notes"), "/cg/assay-notes");
  EXPECT_EQ(outside_of_ours("/cg/assay-gpu-node-1.service"), "/cg/assay-gpu-node-1.service");
  EXPECT_EQ(outside_of_ours("/"), "/");
}

TEST(CgroupTree, sweeps_the_groups_of_dead_owners_only) {
  const FakeGroups fake;
  const fs::path ours = fake.root() / new_group_name();
  const fs::path dead = fake.root() / "assay-1-99-abcdef01";  // pid 1 did not start at 99
  const fs::path foreign = fake.root() / "system.slice";
  const fs::path similar = fake.root() / "assay-notes";
  for (const fs::path& group : {ours, dead, foreign, similar}) fs::create_directory(group);
  CgroupTree tree;
  tree.memory = {.version = CgroupParent::Version::v2, .directory = fake.root()};
  tree.pids = tree.memory;
  EXPECT_EQ(sweep_dead_groups(tree), 1U);
  EXPECT_FALSE(fs::exists(dead));
  for (const fs::path& group : {ours, foreign, similar}) EXPECT_TRUE(fs::exists(group)) << group;
}

}  // namespace
}  // namespace assay::process
