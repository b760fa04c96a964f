#include "queue/tensor_room.hpp"

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

namespace assay::queue {
namespace {

using ::testing::HasSubstr;

DeviceInfo device_with(const std::string& id, std::uint64_t bytes) {
  return {.id = DeviceId{id}, .memory_bytes = 8 * bytes, .most_tensor_bytes = bytes};
}

Kernel kernel_of(std::int64_t floats) {
  Kernel kernel;
  kernel.io = IoContract{
      .args = {{.name = "x", .value = TensorArg{.shape = {floats}, .dtype = DType::float32}}}};
  return kernel;
}

TEST(TensorsTooLarge, what_fits_is_taken_and_so_is_what_has_no_contract) {
  Request request;
  EXPECT_EQ(tensors_too_large(request, std::nullopt, {device_with("cpu", 0)}), std::nullopt);
  request.candidate = kernel_of(25);
  EXPECT_EQ(tensors_too_large(request, std::nullopt, {device_with("cpu", 100)}), std::nullopt);
}

TEST(TensorsTooLarge, the_larger_kernel_is_named_with_all_sizes) {
  Request request;
  request.candidate = kernel_of(25);
  request.reference = kernel_of(26);
  const auto why = tensors_too_large(request, std::nullopt, {device_with("cpu", 100)});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why,
              HasSubstr("reference hold 104 bytes. On cpu one kernel may have 100 of 800 bytes"));
}

TEST(TensorsTooLarge, workloads_count_too) {
  Request request;
  request.candidate = kernel_of(25);
  request.workloads.push_back(
      {.name = "long", .reference_io = {}, .candidate_io = kernel_of(30).io, .constants = {}});
  const auto why = tensors_too_large(request, std::nullopt, {device_with("cpu", 100)});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("candidate hold 120 bytes"));
}

TEST(TensorsTooLarge, only_the_device_that_is_named_counts) {
  Request request;
  request.candidate = kernel_of(26);
  const std::vector devices = {device_with("cuda:0", 100), device_with("cuda:1", 200)};
  EXPECT_EQ(tensors_too_large(request, DeviceId{"cuda:1"}, devices), std::nullopt);
  EXPECT_TRUE(tensors_too_large(request, DeviceId{"cuda:0"}, devices));
  EXPECT_TRUE(tensors_too_large(request, std::nullopt, devices));
}

}  // namespace
}  // namespace assay::queue
