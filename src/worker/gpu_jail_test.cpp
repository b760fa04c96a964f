#include "worker/gpu_jail.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "device/gpu_files.hpp"
#include "model/device_info.hpp"
#include "process/jail_profile.hpp"

namespace assay::worker {
namespace {

/// A host with two GPUs, the second of which MIG has split.
class GpuJailTest : public testing::Test {
 protected:
  GpuJailTest() {
    std::filesystem::create_directory(dev_.path() / "nvidia-caps");
    for (const char* name :
         {"nvidiactl", "nvidia0", "nvidia1", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset",
          "nvidia-nvswitchctl", "sda", "kvm", "nvidia-caps/nvidia-cap1", "nvidia-caps/nvidia-cap2",
          "nvidia-caps/nvidia-cap12", "nvidia-caps/nvidia-cap13", "nvidia-caps/nvidia-cap21"}) {
      std::ofstream(dev_.path() / name) << "";
    }
    std::ofstream(minors()) << "config 1\nmonitor 2\ngpu1/gi7/access 12\ngpu1/gi7/ci0/access 13\n"
                               "gpu1/gi8/access 21\ngpu1/gi8/ci0/access 22\n";
  }
  [[nodiscard]] std::filesystem::path minors() const { return dev_.path() / "mig-minors"; }
  [[nodiscard]] std::vector<std::string> seen(const device::GpuFiles& gpu) const {
    std::vector<std::string> names;
    for (const process::Bind& bind : gpu_binds(gpu, dev_.path(), minors())) {
      EXPECT_TRUE(bind.writable);
      EXPECT_EQ(bind.inside, bind.host);
      names.push_back(bind.host.lexically_relative(dev_.path()).string());
    }
    return names;
  }

  TempDir dev_ = TempDir::create(std::filesystem::temp_directory_path(), "dev-").value();
};

TEST_F(GpuJailTest, shows_the_one_gpu_and_the_driver_and_no_neighbour) {
  EXPECT_EQ(seen({.number = 1}),
            (std::vector<std::string>{"nvidia-uvm", "nvidia-uvm-tools", "nvidia1", "nvidiactl"}));
}

TEST_F(GpuJailTest, shows_the_one_part_of_a_split_gpu) {
  const device::GpuFiles part{.number = 1,
                              .mig = device::MigInstance{.gpu_instance = 7, .compute_instance = 0}};
  EXPECT_EQ(seen(part),
            (std::vector<std::string>{"nvidia-caps/nvidia-cap12", "nvidia-caps/nvidia-cap13",
                                      "nvidia-uvm", "nvidia-uvm-tools", "nvidia1", "nvidiactl"}));
}

TEST_F(GpuJailTest, shows_every_gpu_only_where_nobody_says_which_is_meant) {
  EXPECT_EQ(seen({}), (std::vector<std::string>{"nvidia-uvm", "nvidia-uvm-tools", "nvidia0",
                                                "nvidia1", "nvidiactl"}));
}

TEST_F(GpuJailTest, neighbours_are_seen_only_where_nobody_says_which_is_meant) {
  EXPECT_FALSE(shows_neighbours({.number = 1}, dev_.path()));
  EXPECT_TRUE(shows_neighbours({}, dev_.path()));
  std::filesystem::remove(dev_.path() / "nvidia0");
  EXPECT_FALSE(shows_neighbours({}, dev_.path())) << "there is only this one";
}

TEST(GpuJail, host_without_gpus_shows_nothing) {
  EXPECT_TRUE(gpu_binds({}, "/nonexistent").empty());
  EXPECT_TRUE(gpu_environment({.kind = DeviceKind::cpu}).empty());
}

TEST(GpuJail, process_sees_its_own_gpu_alone) {
  const auto environment = gpu_environment({.kind = DeviceKind::cuda, .uuid = "GPU-1"});
  EXPECT_EQ(environment[0], "CUDA_VISIBLE_DEVICES=GPU-1");
}

}  // namespace
}  // namespace assay::worker
