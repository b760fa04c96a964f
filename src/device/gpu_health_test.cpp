#include "device/gpu_health.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda_inventory.hpp"
#include "device/nvml.hpp"
#include "device/testkit/fake_gpus.hpp"
#include "model/device_info.hpp"

namespace assay::device {
namespace {

class GpuHealthTest : public testing::Test {
 protected:
  GpuHealth look() { return probe_.look(devices_[0]); }

  FakeGpus gpus_{std::vector<FakeGpu>(1)};
  Nvml nvml_ = gpus_.nvml();
  std::vector<DeviceInfo> devices_ = cuda_devices(gpus_.driver(), &nvml_, std::nullopt).value();
  GpuHealthProbe probe_{nvml_, devices_};
};

TEST_F(GpuHealthTest, healthy_gpu_reports_what_it_can_and_no_fault) {
  const GpuHealth health = look();
  EXPECT_FALSE(health.fault);
  EXPECT_EQ(health.temperature_celsius, 41U);
  EXPECT_EQ(health.sm_clock_mhz, 1980U);
  EXPECT_EQ(health.memory_used_bytes, 4096U);
  EXPECT_FALSE(health.uncorrected_ecc_errors) << "this GPU has no such counter";
  EXPECT_TRUE(health.slowed_by.empty());
}

TEST_F(GpuHealthTest, lost_gpu_is_a_fault) {
  gpus_[0].lost = true;
  EXPECT_EQ(look().fault, "GPU is lost");
}

TEST_F(GpuHealthTest, reasons_for_slow_clocks_are_named_and_idling_is_none) {
  gpus_[0].throttled = 0x01 | 0x40;
  EXPECT_EQ(look().slowed_by, std::vector<std::string>{"hw_thermal_slowdown"});
}

TEST_F(GpuHealthTest, xid_of_a_faulty_program_is_told_and_no_fault) {
  gpus_[0].xids = {31};
  const GpuHealth health = look();
  EXPECT_EQ(health.last_xid, 31U);
  EXPECT_FALSE(health.fault);
}

TEST_F(GpuHealthTest, xid_that_ends_a_gpu_is_a_fault_once) {
  gpus_[0].xids = {79};
  EXPECT_EQ(look().fault, "the driver reported Xid 79");
  EXPECT_FALSE(look().fault);
}

TEST_F(GpuHealthTest, gpu_unknown_to_nvml_is_a_fault) {
  DeviceInfo stranger = devices_[0];
  stranger.uuid = "GPU-ff";
  EXPECT_TRUE(probe_.look(stranger).fault);
}

}  // namespace
}  // namespace assay::device
