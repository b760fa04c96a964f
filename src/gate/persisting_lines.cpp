#include "gate/persisting_lines.hpp"

#include <cstddef>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"

namespace assay::gate {

void take_back_persisting_lines(const device::CudaDriver& driver) {
  using device::cuda::Limit;
  if (driver.get_limit == nullptr || driver.set_limit == nullptr) return;
  std::size_t bytes = 0;
  const auto asked = driver.get_limit(&bytes, Limit::persisting_l2_cache_size);
  if (asked != device::cuda::kSuccess || bytes == 0) return;
  driver.set_limit(Limit::persisting_l2_cache_size, 0);
  if (driver.reset_persisting_lines != nullptr) driver.reset_persisting_lines();
}

}  // namespace assay::gate
