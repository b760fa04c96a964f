#include "queue/sanitizer_place.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"

namespace assay::queue {
namespace {

const DeviceInfo kCpu{.id = DeviceId{"cpu"}, .kind = DeviceKind::cpu};
const DeviceInfo kBare{.id = DeviceId{"cuda:0"}, .kind = DeviceKind::cuda};

DeviceInfo with_tool(DeviceInfo device) {
  device.has_sanitizer = true;
  return device;
}

Request asking(std::optional<std::string> device, KernelType type = KernelType::cuda) {
  Request request;
  request.device = std::move(device);
  request.candidate.type = type;
  request.sanitize.memory = true;
  return request;
}

TEST(DeviceFor, without_sanitizers_it_is_the_one_named) {
  Request request;
  EXPECT_EQ(device_for(request, {kCpu}).value(), std::nullopt);
  request.device = "cuda:0";
  EXPECT_EQ(device_for(request, {kCpu}).value(), DeviceId{"cuda:0"});
}

TEST(DeviceFor, a_gpu_with_the_tool_checks_its_own_requests) {
  const std::vector<DeviceInfo> both{with_tool(kBare), kCpu};
  EXPECT_EQ(device_for(asking("cuda:0"), both).value(), kBare.id);
  EXPECT_EQ(device_for(asking("cuda:0", KernelType::triton), both).value(), kBare.id);
  EXPECT_EQ(device_for(asking(std::nullopt), both).value(), kCpu.id);
  EXPECT_EQ(device_for(asking(std::nullopt), {with_tool(kBare)}).value(), std::nullopt);
}

TEST(DeviceFor, the_cpu_stands_in_for_a_gpu_without_the_tool) {
  EXPECT_EQ(device_for(asking("cuda:0"), {kBare, kCpu}).value(), kCpu.id);
  EXPECT_EQ(device_for(asking(std::nullopt), {kBare, kCpu}).value(), kCpu.id);
}

TEST(DeviceFor, a_server_with_gpus_never_refuses) {
  EXPECT_EQ(device_for(asking("cuda:0"), {kBare}).value(), kBare.id);
  EXPECT_EQ(device_for(asking(std::nullopt), {kBare}).value(), std::nullopt);
  EXPECT_EQ(device_for(asking("cuda:0", KernelType::triton), {kBare, kCpu}).value(), kBare.id);
  EXPECT_EQ(device_for(asking(std::nullopt, KernelType::torch), {kBare, kCpu}).value(), kBare.id);
}

TEST(DeviceFor, the_cpu_alone_refuses_what_it_cannot_check) {
  const auto refused = device_for(asking(std::nullopt, KernelType::triton), {kCpu});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message().find("triton"), std::string::npos);
  EXPECT_FALSE(device_for(asking("cpu", KernelType::torch), {kBare, kCpu}));
  EXPECT_EQ(device_for(asking("cpu"), {kCpu}).value(), kCpu.id);
}

TEST(DeviceFor, a_device_that_is_not_here_is_left_to_be_refused_by_its_name) {
  EXPECT_EQ(device_for(asking("cuda:7"), {kCpu}).value(), DeviceId{"cuda:7"});
}

}  // namespace
}  // namespace assay::queue
