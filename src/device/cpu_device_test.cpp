#include "device/cpu_device.hpp"

#include <filesystem>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/os.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"

namespace assay::device {
namespace {

class CpuDeviceTest : public testing::Test {
 protected:
  void write(const char* name, std::string_view text) {
    ASSERT_TRUE(write_file_atomically(proc_.path() / name, text));
  }
  TempDir proc_ = TempDir::create(std::filesystem::temp_directory_path(), "assay-proc-").value();
};

TEST_F(CpuDeviceTest, is_read_from_proc) {
  write("cpuinfo", "processor\t: 0\nmodel name\t: Test CPU @ 3 GHz \n\nprocessor\t: 1\n");
  write("meminfo", "MemFree: 1 kB\nMemTotal:       2048 kB\n");
  const DeviceInfo device = cpu_device(proc_.path()).value();
  EXPECT_EQ(device.id, DeviceId{"cpu"});
  EXPECT_EQ(device.kind, DeviceKind::cpu);
  EXPECT_EQ(device.name, "Test CPU @ 3 GHz");
  EXPECT_EQ(device.memory_bytes, 2048U * 1024U);
  EXPECT_GE(device.units, 1U);
}

TEST_F(CpuDeviceTest, has_a_name_even_where_the_processor_gives_none) {
  write("cpuinfo", "processor\t: 0\nmodel name\t:\n");
  write("meminfo", "MemTotal: 1 kB\n");
  EXPECT_EQ(cpu_device(proc_.path()).value().name, "CPU");
}

TEST_F(CpuDeviceTest, without_proc_is_an_error) {
  EXPECT_EQ(cpu_device("/nonexistent").error().code(), ErrorCode::not_found);
  write("cpuinfo", "");
  write("meminfo", "MemTotal: none\n");
  EXPECT_EQ(cpu_device(proc_.path()).error().code(), ErrorCode::internal);
}

TEST(CpuDevice, of_this_machine_has_memory_and_cores) {
  const DeviceInfo device = cpu_device().value();
  EXPECT_GT(device.memory_bytes, 0U);
  EXPECT_GE(device.units, 1U);
}

}  // namespace
}  // namespace assay::device
