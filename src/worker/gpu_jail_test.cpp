#include "worker/gpu_jail.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/os.hpp"
#include "model/device_info.hpp"

namespace assay::worker {
namespace {

TEST(GpuJail, shows_the_drivers_files_and_no_others) {
  const TempDir dev = TempDir::create(std::filesystem::temp_directory_path(), "dev-").value();
  for (const char* name : {"nvidiactl", "nvidia0", "nvidia-uvm", "sda", "kvm"}) {
    std::ofstream(dev.path() / name) << "";
  }
  const auto binds = gpu_binds(dev.path());
  ASSERT_EQ(binds.size(), 3U);
  EXPECT_EQ(binds[0].inside.filename(), "nvidia-uvm");
  EXPECT_TRUE(binds[0].writable);
}

TEST(GpuJail, host_without_gpus_shows_nothing) {
  EXPECT_TRUE(gpu_binds("/nonexistent").empty());
  EXPECT_TRUE(gpu_environment({.kind = DeviceKind::cpu}).empty());
}

TEST(GpuJail, process_sees_its_own_gpu_alone) {
  const auto environment = gpu_environment({.kind = DeviceKind::cuda, .uuid = "GPU-1"});
  EXPECT_EQ(environment[0], "CUDA_VISIBLE_DEVICES=GPU-1");
}

}  // namespace
}  // namespace assay::worker
