#include "device/cuda_inventory.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda_driver.hpp"
#include "device/nvml.hpp"
#include "device/testkit/fake_gpus.hpp"
#include "model/device_info.hpp"

namespace assay::device {
namespace {

const std::string kFirst = "GPU-01000000-0000-0000-0000-000000000000";
const std::string kSecond = "GPU-02000000-0000-0000-0000-000000000000";

std::vector<std::string> uuids(const FakeGpus& gpus, const std::optional<std::string>& visible) {
  const Nvml nvml = gpus.nvml();
  const std::vector<DeviceInfo> devices = cuda_devices(gpus.driver(), &nvml, visible).value();
  std::vector<std::string> list;
  for (const DeviceInfo& device : devices) list.push_back(device.uuid);
  return list;
}

TEST(CudaInventory, gpu_is_described_by_nvml_and_the_driver_together) {
  const FakeGpus gpus({{.name = "NVIDIA H200"}});
  const Nvml nvml = gpus.nvml();
  const auto devices = cuda_devices(gpus.driver(), &nvml, std::nullopt).value();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].id.value, "cuda:0");
  EXPECT_EQ(devices[0].kind, DeviceKind::cuda);
  EXPECT_EQ(devices[0].name, "NVIDIA H200");
  EXPECT_EQ(devices[0].driver, "580.1");
  EXPECT_EQ(devices[0].uuid, kFirst);
  EXPECT_EQ(devices[0].units, 132U);
  EXPECT_EQ(devices[0].compute, (ComputeCapability{9, 0}));
}

TEST(CudaInventory, without_nvml_the_driver_alone_is_asked) {
  const FakeGpus gpus({{.name = "NVIDIA H200"}});
  const auto devices = cuda_devices(gpus.driver(), nullptr, std::nullopt).value();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].uuid, kFirst);
  EXPECT_EQ(devices[0].driver, "CUDA 13.0");
}

TEST(CudaInventory, visible_devices_are_chosen_by_index_or_uuid_in_the_order_given) {
  const FakeGpus gpus({{.uuid = 1}, {.uuid = 2}});
  EXPECT_EQ(uuids(gpus, "1,0"), (std::vector{kSecond, kFirst}));
  EXPECT_EQ(uuids(gpus, "GPU-02"), (std::vector{kSecond}));
  EXPECT_EQ(uuids(gpus, std::nullopt), (std::vector{kFirst, kSecond}));
}

TEST(CudaInventory, what_follows_an_invalid_entry_is_hidden) {
  const FakeGpus gpus({{.uuid = 1}, {.uuid = 2}});
  EXPECT_EQ(uuids(gpus, "1,-1,0"), (std::vector{kSecond}));
  EXPECT_TRUE(uuids(gpus, "7").empty());
  EXPECT_TRUE(uuids(gpus, "").empty());
}

TEST(CudaInventory, split_gpu_is_replaced_by_its_mig_instances) {
  const FakeGpus gpus({{.uuid = 1, .mig_instances = 2}, {.uuid = 2}});
  EXPECT_EQ(uuids(gpus, std::nullopt), (std::vector<std::string>{"MIG-0-1", "MIG-0-2", kSecond}));
  const Nvml nvml = gpus.nvml();
  const auto devices = cuda_devices(gpus.driver(), &nvml, "MIG-0-2").value();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].units, 16U);
}

TEST(CudaInventory, driver_that_fails_is_an_error_with_its_name) {
  const FakeGpus gpus(std::vector<FakeGpu>(1));
  CudaDriver driver = gpus.driver();
  driver.device_count = [](int*) { return 999; };
  const auto devices = cuda_devices(driver, nullptr, std::nullopt);
  ASSERT_FALSE(devices);
  EXPECT_EQ(devices.error().message(), "cuDeviceGetCount: CUDA_ERROR_FAKE: a fake failed");
}

}  // namespace
}  // namespace assay::device
