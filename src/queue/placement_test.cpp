#include "queue/placement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/device_info.hpp"
#include "model/dtype.hpp"
#include "model/ids.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/request.hpp"
#include "model/timing_mode.hpp"
#include "wire/decode_error.hpp"

namespace assay::queue {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<DeviceInfo> kHere = {{.id = DeviceId{"cpu"},
                                        .kind = DeviceKind::cpu,
                                        .memory_bytes = 800,
                                        .most_tensor_bytes = 100}};

std::optional<std::string> every_name_is_known(const Request&, const std::optional<DeviceId>&) {
  return std::nullopt;
}

Request asking_for(std::int64_t floats) {
  Request request;
  request.candidate.io = IoContract{
      .args = {{.name = "x", .value = TensorArg{.shape = {floats}, .dtype = DType::float32}}}};
  return request;
}

TEST(Place, what_a_device_here_can_serve_gets_that_device_or_any) {
  Request request = asking_for(25);
  EXPECT_EQ(place(request, kHere, every_name_is_known).value(), std::nullopt);
  request.device = "cpu";
  EXPECT_EQ(place(request, kHere, every_name_is_known).value(), DeviceId{"cpu"});
}

TEST(Place, a_device_that_is_not_here_is_refused_with_those_that_are) {
  Request request = asking_for(25);
  request.device = "cuda:7";
  const auto refused = place(request, kHere, every_name_is_known);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().path, ElementsAre("device"));
  EXPECT_EQ(refused.error().message, "there is no device 'cuda:7'; there is cpu");
  EXPECT_EQ(refused.error().type, "value_error");
}

TEST(Place, sanitizers_that_no_device_here_has_are_refused) {
  Request request = asking_for(25);
  request.candidate.type = KernelType::triton;
  request.sanitize.memory = true;
  const auto refused = place(request, kHere, every_name_is_known);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().path, ElementsAre("sanitize"));
  EXPECT_THAT(refused.error().message, StartsWith("The sanitizers check"));
}

TEST(Place, tensors_that_do_not_fit_are_refused) {
  const auto refused = place(asking_for(26), kHere, every_name_is_known);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().path, ElementsAre("io", "args"));
  EXPECT_THAT(refused.error().message,
              HasSubstr("hold 104 bytes. On cpu one kernel may have 100 of 800 bytes"));
  EXPECT_EQ(refused.error().type, "too_large");
}

TEST(Place, a_mode_of_timing_that_no_device_here_has_is_refused) {
  Request request = asking_for(25);
  request.timing.mode = TimingMode::graph;
  for (const std::optional<std::string>& device : {std::optional<std::string>(), {"cpu"}}) {
    request.device = device;
    const auto refused = place(request, kHere, every_name_is_known);
    ASSERT_FALSE(refused);
    EXPECT_EQ(wire::dotted_path(refused.error()), "timing.mode");
    EXPECT_EQ(refused.error().message, kOnlyWarmOnCpu);
  }
  request.timing.mode = TimingMode::warm;
  EXPECT_TRUE(place(request, kHere, every_name_is_known));
}

TEST(Place, a_mode_of_gpus_is_taken_where_a_gpu_may_get_the_job) {
  const std::vector<DeviceInfo> here = {kHere.front(),
                                        {.id = DeviceId{"cuda:0"},
                                         .kind = DeviceKind::cuda,
                                         .memory_bytes = 800,
                                         .most_tensor_bytes = 100}};
  Request request = asking_for(25);
  request.timing.mode = TimingMode::cold;
  EXPECT_TRUE(place(request, here, every_name_is_known));
  request.device = "cpu";
  EXPECT_FALSE(place(request, here, every_name_is_known));
}

TEST(Place, names_of_metrics_are_asked_for_on_the_device_that_was_found) {
  Request request = asking_for(25);
  request.sanitize.memory = true;  // brings it to cpu
  std::optional<DeviceId> asked;
  const auto refused = place(request, kHere, [&](const Request&, const auto& device) {
    asked = device;
    return std::optional<std::string>("there is no metric xyz");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(asked, DeviceId{"cpu"});
  EXPECT_EQ(wire::dotted_path(refused.error()), "device_metrics.metrics");
  EXPECT_EQ(refused.error().message, "there is no metric xyz");
}

}  // namespace
}  // namespace assay::queue
