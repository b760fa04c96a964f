#include "gate/persisting_lines.hpp"

#include <cstddef>

#include <gtest/gtest.h>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::gate {
namespace {

namespace cuda = device::cuda;

struct Cache {
  std::size_t set_aside = 0;
  int resets = 0;
  int changes = 0;
};
Cache cache;  // plain functions have nowhere else to keep it

device::CudaDriver driver_of(const Cache& of) {
  cache = of;
  device::CudaDriver driver{};
  driver.get_limit = [](std::size_t* value, cuda::Limit which) {
    *value = which == cuda::Limit::persisting_l2_cache_size ? cache.set_aside : 1024;
    return cuda::kSuccess;
  };
  driver.set_limit = [](cuda::Limit, std::size_t value) {
    cache.set_aside = value;
    ++cache.changes;
    return cuda::kSuccess;
  };
  driver.reset_persisting_lines = [] {
    ++cache.resets;
    return cuda::kSuccess;
  };
  return driver;
}

TEST(PersistingLines, are_taken_back_with_the_part_of_the_cache_that_is_set_aside) {
  take_back_persisting_lines(driver_of({.set_aside = std::size_t{32} << 20U}));
  EXPECT_EQ(cache.set_aside, 0U);
  EXPECT_EQ(cache.resets, 1);
}

TEST(PersistingLines, nothing_is_asked_of_the_driver_where_there_are_none) {
  take_back_persisting_lines(driver_of({}));
  EXPECT_EQ(cache.changes, 0);
  EXPECT_EQ(cache.resets, 0);
}

TEST(PersistingLines, driver_that_knows_none_is_left_alone) {
  take_back_persisting_lines(device::CudaDriver{});
  device::CudaDriver failing = driver_of({.set_aside = 1});
  failing.get_limit = [](std::size_t*, cuda::Limit) { return cuda::kInvalidValue; };
  take_back_persisting_lines(failing);
  EXPECT_EQ(cache.changes, 0);
}

}  // namespace
}  // namespace assay::gate
