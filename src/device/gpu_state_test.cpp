#include "device/gpu_state.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cuda_api.hpp"
#include "device/nvml.hpp"
#include "device/testkit/fake_gpus.hpp"
#include "model/device_state.hpp"

namespace assay::device {
namespace {

std::string uuid_of(const FakeGpu& gpu) {
  return to_string(cuda::Uuid{.bytes = {gpu.uuid}});
}

TEST(GpuState, says_clocks_heat_power_slowdowns_and_processes) {
  FakeGpus gpus({FakeGpu{.throttled = 0x04 | 0x40, .processes = 3}});
  const Nvml nvml = gpus.nvml();
  const auto reader = GpuState::of(nvml, uuid_of(gpus[0]));
  ASSERT_TRUE(reader);
  const DeviceState state = reader->read();
  EXPECT_EQ(state.sm_clock_mhz, 1980U);
  EXPECT_EQ(state.memory_clock_mhz, 1980U);
  EXPECT_EQ(state.temperature_celsius, 41U);
  EXPECT_EQ(state.power_watts, 321.5);
  EXPECT_EQ(state.slowed_by, (std::vector<std::string>{"sw_power_cap", "hw_thermal_slowdown"}));
  EXPECT_EQ(state.processes, 3U);
}

TEST(GpuState, calls_an_idle_gpu_or_one_at_set_clocks_not_slowed) {
  FakeGpus gpus({FakeGpu{.throttled = 0x01 | 0x02}});
  const Nvml nvml = gpus.nvml();
  EXPECT_TRUE(GpuState::of(nvml, uuid_of(gpus[0]))->read().slowed_by.empty());
}

TEST(GpuState, leaves_out_what_cannot_be_had) {
  FakeGpus gpus({FakeGpu{.lost = true}});
  const Nvml nvml = gpus.nvml();
  const DeviceState state = GpuState::of(nvml, uuid_of(gpus[0]))->read();
  EXPECT_FALSE(state.power_watts);
  EXPECT_FALSE(state.processes);
}

TEST(GpuState, is_not_found_for_a_gpu_that_is_not_there) {
  FakeGpus gpus({FakeGpu{}});
  const Nvml nvml = gpus.nvml();
  const auto reader = GpuState::of(nvml, "GPU-0");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace assay::device
