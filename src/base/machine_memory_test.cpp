#include "base/machine_memory.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;

class MachineMemory : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void SetUp() override {
    std::filesystem::remove_all(root_);
    write("proc/meminfo", "MemFree: 7 kB\nMemTotal:       134217728 kB\n");  // 128 GiB
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("assay-memory-" + std::to_string(::getpid()));
};

TEST_F(MachineMemory, is_the_machines_where_nothing_limits_it) {
  EXPECT_EQ(machine_memory(root_), 128 * kGiB);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(machine_memory(root_), 128 * kGiB);
}

TEST_F(MachineMemory, is_what_the_control_group_or_one_above_it_allows) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", std::to_string(64 * kGiB));
  EXPECT_EQ(machine_memory(root_), 64 * kGiB);
  write("sys/fs/cgroup/a/memory.max", std::to_string(16 * kGiB));
  EXPECT_EQ(machine_memory(root_), 16 * kGiB);
}

TEST_F(MachineMemory, is_not_what_a_server_allows_its_worker) {
  write("proc/self/cgroup", "0::/a/assay-1-2-abcdef01\n");
  write("sys/fs/cgroup/a/assay-1-2-abcdef01/memory.max", std::to_string(kGiB));
  write("sys/fs/cgroup/a/memory.max", std::to_string(16 * kGiB));
  EXPECT_EQ(machine_memory(root_), 16 * kGiB);
}

TEST_F(MachineMemory, is_what_a_unit_with_a_name_like_ours_allows) {
  write("proc/self/cgroup", "0::/a/assay-gpu-node-1.service\n");
  write("sys/fs/cgroup/a/assay-gpu-node-1.service/memory.max", std::to_string(kGiB));
  EXPECT_EQ(machine_memory(root_), kGiB);
}

TEST_F(MachineMemory, of_this_machine_is_some) {
  EXPECT_GT(machine_memory(), kGiB / 4);
}

TEST(ShareOfMemory, is_a_quarter_but_enough_for_small_machines) {
  EXPECT_EQ(share_of_memory(128 * kGiB), 32 * kGiB);
  EXPECT_EQ(share_of_memory(12 * kGiB), 4 * kGiB);
  EXPECT_EQ(share_of_memory(6 * kGiB), 3 * kGiB);
}

TEST(ShareForTensors, is_an_eighth_but_enough_for_small_devices) {
  EXPECT_EQ(share_for_tensors(128 * kGiB), 16 * kGiB);
  EXPECT_EQ(share_for_tensors(24 * kGiB), 4 * kGiB);
  EXPECT_EQ(share_for_tensors(8 * kGiB), 2 * kGiB);
}

TEST(ShareForKernel, leaves_a_quarter_for_all_else) {
  EXPECT_EQ(share_for_kernel(128 * kGiB), 96 * kGiB);
  EXPECT_EQ(share_for_kernel(0), 0);
}

TEST(Gibibytes, have_a_digit_after_the_point_where_they_are_few) {
  EXPECT_EQ(gibibytes(3 * kGiB / 2), "1.5 GiB");
  EXPECT_EQ(gibibytes(125 * kGiB), "125 GiB");
}

}  // namespace
}  // namespace assay
