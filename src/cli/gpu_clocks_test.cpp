#include "cli/gpu_clocks.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "device/testkit/fake_gpus.hpp"

namespace assay::cli {
namespace {

TEST(GpuClocks, are_read_of_every_gpu) {
  device::FakeGpus gpus{std::vector<device::FakeGpu>(2)};
  const auto clocks = clock_reader(gpus.nvml())();
  ASSERT_EQ(clocks.size(), 2U);
  EXPECT_FALSE(clocks[0].device.empty());
  EXPECT_EQ(clocks[1].sm_mhz, 1980U);
}

}  // namespace
}  // namespace assay::cli
