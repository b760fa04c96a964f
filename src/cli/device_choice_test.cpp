#include "cli/device_choice.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cuda_inventory.hpp"
#include "model/device_info.hpp"

namespace assay::cli {
namespace {

const DeviceInfo kCpu{.id = {"cpu"}, .kind = DeviceKind::cpu};

device::CudaInventory two_gpus(ComputeCapability second = {9, 0}) {
  return {.devices = {{.id = {"cuda:0"}, .kind = DeviceKind::cuda, .compute = {9, 0}},
                      {.id = {"cuda:1"}, .kind = DeviceKind::cuda, .compute = second}},
          .why_none = ""};
}

std::vector<std::string> chosen(const std::vector<std::string>& names,
                                const device::CudaInventory& gpus) {
  std::vector<std::string> ids;
  const auto devices = choose_devices(names, gpus, kCpu);
  for (const DeviceInfo& device : devices.value()) ids.push_back(device.id.value);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(DeviceChoice, auto_takes_every_gpu_and_cpu_only_without_one) {
  EXPECT_EQ(chosen({"auto"}, two_gpus()), (Ids{"cuda:0", "cuda:1"}));
  EXPECT_EQ(chosen({"auto"}, {.devices = {}, .why_none = "no driver"}), Ids{"cpu"});
}

TEST(DeviceChoice, devices_are_taken_once_in_the_order_named) {
  EXPECT_EQ(chosen({"cuda:1", "cpu", "cuda"}, two_gpus()), (Ids{"cuda:1", "cpu", "cuda:0"}));
}

TEST(DeviceChoice, device_that_is_not_here_is_refused_with_the_reason) {
  const auto none = choose_devices({"cuda:0"}, {.devices = {}, .why_none = "no driver"}, kCpu);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(none.error().message().find("no driver"), std::string::npos);
  EXPECT_FALSE(choose_devices({"cuda"}, {.devices = {}, .why_none = "no driver"}, kCpu));
  EXPECT_FALSE(choose_devices({"tpu"}, two_gpus(), kCpu));
}

TEST(DeviceChoice, gpus_that_need_different_code_are_refused_together) {
  EXPECT_FALSE(choose_devices({"cuda"}, two_gpus({8, 0}), kCpu));
  EXPECT_TRUE(choose_devices({"cuda:0"}, two_gpus({8, 0}), kCpu));
}

}  // namespace
}  // namespace assay::cli
