#include "runner/clean_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <gtest/gtest.h>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::runner {
namespace {

namespace cuda = device::cuda;

constexpr int kCache = 4096;

/// What the fake GPU was asked for; plain functions have nowhere else to keep it.
struct Asked {
  std::size_t allocated = 0;
  std::size_t zeroed = 0;
  std::uint64_t from = 0;
  std::uint64_t quads = 0;
  std::uint32_t blocks = 0;
};
Asked asked;

device::CudaDriver driver_with_cache() {
  device::CudaDriver d{};
  d.error_name = [](cuda::Status, const char** name) { return *name = "CUDA_ERROR_FAKE", 0; };
  d.error_string = [](cuda::Status, const char** text) { return *text = "it failed", 0; };
  d.device_attribute = [](int* value, cuda::DeviceAttribute which, cuda::Device) {
    *value = which == cuda::DeviceAttribute::l2_cache_size ? kCache : 132;
    return cuda::kSuccess;
  };
  d.module_load_data = [](cuda::Module*, const void* image) {
    const std::string_view text(static_cast<const char*>(image));
    return text.contains(".entry assay_read") ? cuda::kSuccess : cuda::kInvalidValue;
  };
  d.module_get_function = [](cuda::Function*, cuda::Module, const char*) { return cuda::kSuccess; };
  d.allocate = [](cuda::DevicePointer* address, std::size_t size) {
    *address = 0x9000;
    asked.allocated = size;
    return cuda::kSuccess;
  };
  d.set_words = [](cuda::DevicePointer, unsigned value, std::size_t count, cuda::Stream) {
    asked.zeroed = value == 0 ? 4 * count : 0;
    return cuda::kSuccess;
  };
  d.context_synchronize = [] { return cuda::kSuccess; };
  d.launch = [](const cuda::LaunchConfiguration* configuration, cuda::Function, void** parameters,
                void**) {
    std::memcpy(&asked.from, parameters[0], sizeof asked.from);
    std::memcpy(&asked.quads, parameters[1], sizeof asked.quads);
    asked.blocks = configuration->grid[0];
    return cuda::kSuccess;
  };
  return d;
}

TEST(CleanCache, reads_twice_what_the_cache_holds_from_memory_of_its_own) {
  const device::CudaDriver driver = driver_with_cache();
  auto cache = CleanCache::open(driver);
  ASSERT_TRUE(cache) << cache.error().message();
  EXPECT_EQ(asked.allocated, 2U * kCache);
  EXPECT_EQ(asked.zeroed, 2U * kCache);
  EXPECT_EQ(cache->clean(nullptr), cuda::kSuccess);
  EXPECT_EQ(asked.from, 0x9000U);
  EXPECT_EQ(asked.quads, 2U * kCache / 16);
  EXPECT_EQ(asked.blocks, 4U * 132);
}

TEST(CleanCache, is_not_there_where_the_driver_compiles_nothing) {
  device::CudaDriver driver = driver_with_cache();
  driver.module_load_data = [](cuda::Module*, const void*) { return cuda::kNotFound; };
  const auto cache = CleanCache::open(driver);
  ASSERT_FALSE(cache);
  EXPECT_EQ(cache.error().message(), "load the reading kernel: CUDA_ERROR_FAKE: it failed");
}

}  // namespace
}  // namespace assay::runner
