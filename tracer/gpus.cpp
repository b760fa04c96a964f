#include "tracer/gpus.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda_api.hpp"
#include "device/dynamic_library.hpp"

namespace assay::tracer {
namespace {

namespace cuda = device::cuda;

struct Driver {
  cuda::Status (*count)(int*) = nullptr;
  cuda::Status (*name)(char*, int, cuda::Device) = nullptr;
  cuda::Status (*memory)(std::size_t*, cuda::Device) = nullptr;
  cuda::Status (*attribute)(int*, cuda::DeviceAttribute, cuda::Device) = nullptr;
  cuda::Status (*uuid)(cuda::Uuid*, cuda::Device) = nullptr;

  [[nodiscard]] std::int64_t value(cuda::DeviceAttribute which, cuda::Device device) const {
    int out = 0;
    return attribute(&out, which, device) == cuda::kSuccess ? out : 0;
  }
};

std::string text_of(const cuda::Uuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[uuid.bytes[i] >> 4U];
    out += kDigits[uuid.bytes[i] & 0xFU];
  }
  return out;
}

Gpu describe(const Driver& driver, int ordinal) {
  using cuda::DeviceAttribute;
  constexpr std::int64_t kKilo = 1000;
  constexpr std::int64_t kTransfers = 2;  // on both edges of the memory's clock
  constexpr std::int64_t kBits = 8;
  Gpu out{.ordinal = ordinal};
  std::array<char, 256> name{};
  driver.name(name.data(), static_cast<int>(name.size()) - 1, ordinal);
  out.name = name.data();
  cuda::Uuid uuid{};
  if (driver.uuid(&uuid, ordinal) == cuda::kSuccess) out.uuid = text_of(uuid);
  std::size_t bytes = 0;
  driver.memory(&bytes, ordinal);
  out.memory_bytes = static_cast<std::int64_t>(bytes);
  out.memory_bandwidth = driver.value(DeviceAttribute::memory_clock_rate, ordinal) * kKilo *
                         kTransfers *
                         driver.value(DeviceAttribute::global_memory_bus_width, ordinal) / kBits;
  out.clock_hz = driver.value(DeviceAttribute::clock_rate, ordinal) * kKilo;
  out.multiprocessors = driver.value(DeviceAttribute::multiprocessor_count, ordinal);
  out.l2_bytes = driver.value(DeviceAttribute::l2_cache_size, ordinal);
  out.major = driver.value(DeviceAttribute::compute_capability_major, ordinal);
  out.minor = driver.value(DeviceAttribute::compute_capability_minor, ordinal);
  return out;
}

}  // namespace

std::vector<Gpu> gpus_of_process() {
  Driver driver;
  const std::array symbols = {device::symbol("cuDeviceGetCount", driver.count),
                              device::symbol("cuDeviceGetName", driver.name),
                              device::symbol("cuDeviceTotalMem_v2", driver.memory),
                              device::symbol("cuDeviceGetUuid_v2", driver.uuid),
                              device::symbol("cuDeviceGetAttribute", driver.attribute)};
  const std::array<std::string, 1> names = {"libcuda.so.1"};
  if (!device::open_library(names, symbols)) return {};
  int count = 0;
  if (driver.count(&count) != cuda::kSuccess) return {};
  std::vector<Gpu> out;
  out.reserve(static_cast<std::size_t>(count));
  for (int ordinal = 0; ordinal < count; ++ordinal) out.push_back(describe(driver, ordinal));
  return out;
}

}  // namespace assay::tracer
