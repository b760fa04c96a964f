#include "device/cuda_memory.hpp"

#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/testkit/fake_gpus.hpp"

namespace assay::device {
namespace {

// What the fake driver holds; plain functions have nowhere else to keep it.
int live_handles = 0;
int live_mappings = 0;
std::size_t mapped_size = 0;

CudaDriver memory_driver() {
  live_handles = 0;
  live_mappings = 0;
  const FakeGpus gpus({FakeGpu{}});
  CudaDriver driver = gpus.driver();
  driver.granularity = [](std::size_t* bytes, const cuda::AllocationProperties*, int) {
    *bytes = 2 << 20;
    return 0;
  };
  driver.create_allocation = [](cuda::AllocationHandle* handle, std::size_t,
                                const cuda::AllocationProperties*, unsigned long long) {
    *handle = 7;
    ++live_handles;
    return 0;
  };
  driver.release_allocation = [](cuda::AllocationHandle) {
    --live_handles;
    return 0;
  };
  driver.reserve_address = [](cuda::DevicePointer* address, std::size_t, std::size_t,
                              cuda::DevicePointer, unsigned long long) {
    *address = 0x1000;
    return 0;
  };
  driver.free_address = [](cuda::DevicePointer, std::size_t) { return 0; };
  driver.map = [](cuda::DevicePointer, std::size_t size, std::size_t, cuda::AllocationHandle,
                  unsigned long long) {
    mapped_size = size;
    ++live_mappings;
    return 0;
  };
  driver.unmap = [](cuda::DevicePointer, std::size_t) {
    --live_mappings;
    return 0;
  };
  driver.set_access = [](cuda::DevicePointer, std::size_t, const cuda::AccessDescription*,
                         std::size_t) { return 0; };
  return driver;
}

TEST(CudaMapping, memory_is_mapped_whole_and_given_back) {
  const CudaDriver driver = memory_driver();
  {
    CudaMapping mapping = CudaMapping::allocate(driver, 100).value();
    EXPECT_EQ(mapping.address(), 0x1000U);
    EXPECT_EQ(mapped_size, std::size_t{2} << 20U);
    const CudaMapping moved = std::move(mapping);
    EXPECT_EQ(live_mappings, 1);
  }
  EXPECT_EQ(live_handles, 0);
  EXPECT_EQ(live_mappings, 0);
}

TEST(CudaMapping, memory_that_cannot_be_mapped_is_released) {
  CudaDriver driver = memory_driver();
  driver.map = [](cuda::DevicePointer, std::size_t, std::size_t, cuda::AllocationHandle,
                  unsigned long long) { return 205; };
  EXPECT_EQ(CudaMapping::allocate(driver, 100).error().code(), ErrorCode::unavailable);
  EXPECT_EQ(live_handles, 0);
}

TEST(CudaMapping, memory_that_ran_out_is_told_apart) {
  CudaDriver driver = memory_driver();
  driver.create_allocation = [](cuda::AllocationHandle*, std::size_t,
                                const cuda::AllocationProperties*,
                                unsigned long long) { return cuda::kOutOfMemory; };
  EXPECT_EQ(CudaMapping::allocate(driver, 100).error().code(), ErrorCode::resource_exhausted);
}

}  // namespace
}  // namespace assay::device
