#include "runner/separate_arrays.hpp"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {

namespace cuda = device::cuda;

Result<SeparateArrays> SeparateArrays::allocate(const device::CudaDriver& driver,
                                                const Values& values) {
  SeparateArrays arrays(driver);
  arrays.values_ = values;
  std::vector<cuda::DevicePointer> addresses;
  for (const auto& value : arrays.values_) {
    const auto* part = std::get_if<ArenaPart>(&value);
    if (part == nullptr) continue;
    cuda::DevicePointer address = 0;
    const auto status = driver.allocate(&address, std::max<std::size_t>(part->size, 1));
    if (auto made = check(driver, status, "cuMemAlloc"); !made) {
      return std::unexpected(std::move(made).error());
    }
    addresses.push_back(address);
    if (part->initialised) {
      arrays.copies_.push_back({.from = part->offset, .to = address, .size = part->size});
    }
  }
  arrays.base_ = addresses.empty() ? 0 : *std::ranges::min_element(addresses);
  std::size_t next = 0;
  for (auto& value : arrays.values_) {
    auto* part = std::get_if<ArenaPart>(&value);
    if (part != nullptr) part->offset = addresses[next++] - arrays.base_;
  }
  return arrays;
}

cuda::Status SeparateArrays::fill(cuda::DevicePointer arena) const {
  std::vector<std::byte> bytes;
  for (const Copy& copy : copies_) {
    bytes.resize(copy.size);
    cuda::Status status = driver_->copy_to_host(bytes.data(), arena + copy.from, copy.size);
    if (status == cuda::kSuccess) {
      status = driver_->copy_to_device(copy.to, bytes.data(), copy.size);
    }
    if (status != cuda::kSuccess) return status;
  }
  return cuda::kSuccess;
}

std::string SeparateArrays::describe() const {
  std::string lines;
  for (const auto& value : values_) {
    const auto* part = std::get_if<ArenaPart>(&value);
    if (part == nullptr) continue;
    lines += fmt::format("assay-array 0x{:x} {} {} {}\n", base_ + part->offset, part->size,
                         part->element_size, part->name);
  }
  return lines;
}

}  // namespace assay::runner
