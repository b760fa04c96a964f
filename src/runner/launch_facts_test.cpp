#include "runner/launch_facts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "model/counter_value.hpp"
#include "model/kernel_resources.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {
namespace {

namespace cuda = device::cuda;

device::CudaDriver h200() {
  device::CudaDriver d{};
  d.device_attribute = [](int* value, cuda::DeviceAttribute which, cuda::Device) {
    using enum cuda::DeviceAttribute;
    *value = which == multiprocessor_count                   ? 132
             : which == warp_size                            ? 32
             : which == max_threads_per_multiprocessor       ? 2048
             : which == max_registers_per_multiprocessor     ? 65536
             : which == max_shared_memory_per_multiprocessor ? 233472
             : which == max_blocks_per_multiprocessor        ? 32
             : which == reserved_shared_memory_per_block     ? 1024
                                                             : 0;
    return cuda::kSuccess;
  };
  return d;
}

std::optional<double> find(const std::vector<CounterValue>& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &CounterValue::metric);
  return found == facts.end() ? std::nullopt : std::optional(found->value);
}

// What Nsight Compute 2025.3.1 reported of these launches on an H200.

TEST(LaunchFacts, of_a_matmul_that_registers_limit) {
  const auto facts = launch_facts(h200(), {.grid = {16, 32, 1}, .block = {256, 1, 1}},
                                  {.registers_per_thread = 254,
                                   .dynamic_shared_bytes = 67584,
                                   .blocks_per_multiprocessor = 1,
                                   .occupancy = 0.125});
  EXPECT_EQ(find(facts, "launch__grid_size"), 512);
  EXPECT_EQ(find(facts, "launch__block_size"), 256);
  EXPECT_EQ(find(facts, "launch__registers_per_thread"), 254);
  EXPECT_EQ(find(facts, "launch__shared_mem_per_block"), 68608);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_registers"), 1);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_warps"), 8);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_blocks"), 32);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_shared_mem"), std::nullopt);
  EXPECT_EQ(find(facts, "sm__maximum_warps_per_active_cycle_pct"), 12.5);
  EXPECT_NEAR(*find(facts, "launch__waves_per_multiprocessor"), 3.88, 0.005);
}

TEST(LaunchFacts, of_a_softmax_that_warps_limit) {
  const auto facts = launch_facts(h200(), {.grid = {4096, 1, 1}, .block = {1024, 1, 1}},
                                  {.registers_per_thread = 30,
                                   .dynamic_shared_bytes = 128,
                                   .blocks_per_multiprocessor = 2,
                                   .occupancy = 1});
  EXPECT_EQ(find(facts, "launch__shared_mem_per_block"), 1152);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_registers"), 2);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_warps"), 2);
  EXPECT_EQ(find(facts, "sm__maximum_warps_per_active_cycle_pct"), 100);
  EXPECT_NEAR(*find(facts, "launch__waves_per_multiprocessor"), 15.52, 0.005);
}

TEST(LaunchFacts, name_shared_memory_where_it_is_the_limit) {
  const auto facts = launch_facts(h200(), {.grid = {1, 1, 1}, .block = {128, 1, 1}},
                                  {.registers_per_thread = 32,
                                   .static_shared_bytes = 1024,
                                   .dynamic_shared_bytes = 98304,
                                   .blocks_per_multiprocessor = 2,
                                   .occupancy = 0.125});
  EXPECT_EQ(find(facts, "launch__occupancy_limit_shared_mem"), 2);
}

TEST(LaunchFacts, are_fewer_where_the_driver_tells_less) {
  device::CudaDriver silent{};
  silent.device_attribute = [](int*, cuda::DeviceAttribute, cuda::Device) {
    return cuda::kInvalidValue;
  };
  const auto facts = launch_facts(silent, {.grid = {2, 1, 1}, .block = {64, 1, 1}}, {});
  EXPECT_EQ(find(facts, "launch__grid_size"), 2);
  EXPECT_EQ(find(facts, "launch__occupancy_limit_warps"), std::nullopt);
  EXPECT_EQ(find(facts, "launch__waves_per_multiprocessor"), std::nullopt);
}

}  // namespace
}  // namespace assay::runner
