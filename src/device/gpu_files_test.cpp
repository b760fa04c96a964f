#include "device/gpu_files.hpp"

#include <gtest/gtest.h>

#include "device/nvml.hpp"
#include "device/testkit/fake_gpus.hpp"

namespace assay::device {
namespace {

TEST(GpuFiles, are_known_of_gpus_and_of_their_parts) {
  const FakeGpus gpus({{.uuid = 1}, {.uuid = 2, .mig_instances = 2}});
  const Nvml nvml = gpus.nvml();
  const GpuFiles whole = gpu_files(nvml, "GPU-01000000-0000-0000-0000-000000000000");
  EXPECT_EQ(whole.number, 0U);
  EXPECT_FALSE(whole.mig);
  const GpuFiles part = gpu_files(nvml, "MIG-1-2");
  EXPECT_EQ(part.number, 1U);
  EXPECT_EQ(part.mig, (MigInstance{.gpu_instance = 8, .compute_instance = 0}));
}

TEST(GpuFiles, of_a_gpu_that_is_not_there_are_unknown) {
  const FakeGpus gpus({FakeGpu{.uuid = 1}});
  const Nvml nvml = gpus.nvml();
  EXPECT_FALSE(gpu_files(nvml, "GPU-none").number);
}

}  // namespace
}  // namespace assay::device
