#include "device/cuda_inventory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/nvml.hpp"
#include "model/device_info.hpp"
#include "model/ids.hpp"

namespace assay::device {
namespace {

using Text = std::array<char, nvml::kTextSize>;

template <class Ask>
std::string text_of(Ask ask) {
  Text text{};
  return ask(text.data(), static_cast<unsigned>(text.size())) == 0 ? std::string(text.data()) : "";
}

std::uint32_t attribute(const CudaDriver& driver, cuda::DeviceAttribute which,
                        cuda::Device device) {
  int value = 0;
  driver.device_attribute(&value, which, device);
  return static_cast<std::uint32_t>(value);
}

Result<DeviceInfo> describe_device(const CudaDriver& driver, int ordinal) {
  cuda::Device device{};
  if (auto got = check(driver, driver.device_get(&device, ordinal), "cuDeviceGet"); !got) {
    return std::unexpected(std::move(got).error());
  }
  cuda::Uuid uuid{};
  std::size_t memory = 0;
  driver.device_uuid(&uuid, device);
  driver.device_total_memory(&memory, device);
  using enum cuda::DeviceAttribute;
  return DeviceInfo{.kind = DeviceKind::cuda,
                    .name = text_of([&](char* text, unsigned size) {
                      return driver.device_name(text, static_cast<int>(size), device);
                    }),
                    .memory_bytes = memory,
                    .units = attribute(driver, multiprocessor_count, device),
                    .uuid = to_string(uuid),
                    .compute = {attribute(driver, compute_capability_major, device),
                                attribute(driver, compute_capability_minor, device)}};
}

Result<std::vector<DeviceInfo>> list_by_driver(const CudaDriver& driver) {
  int count = 0;
  if (auto got = check(driver, driver.device_count(&count), "cuDeviceGetCount"); !got) {
    return std::unexpected(std::move(got).error());
  }
  std::vector<DeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    ASSAY_TRY(DeviceInfo device, describe_device(driver, i));
    devices.push_back(std::move(device));
  }
  return devices;
}

DeviceInfo describe_handle(const Nvml& nvml, nvml::Device handle, nvml::Device parent) {
  DeviceInfo device{.kind = DeviceKind::cuda};
  device.name = text_of([&](char* text, unsigned size) { return nvml.name(handle, text, size); });
  device.uuid = text_of([&](char* text, unsigned size) { return nvml.uuid(handle, text, size); });
  nvml::Memory memory;
  if (nvml.memory(handle, &memory) == nvml::kSuccess) device.memory_bytes = memory.total;
  int major = 0;
  int minor = 0;
  if (nvml.compute_capability(parent, &major, &minor) == nvml::kSuccess) {
    device.compute = {static_cast<std::uint32_t>(major), static_cast<std::uint32_t>(minor)};
  }
  return device;
}

/// The instances of a GPU that MIG has split; nothing where it is whole.
std::optional<std::vector<DeviceInfo>> instances_of(const Nvml& nvml, nvml::Device gpu) {
  unsigned current = 0;
  unsigned pending = 0;
  unsigned places = 0;
  if (nvml.mig_mode(gpu, &current, &pending) != nvml::kSuccess || current == 0 ||
      nvml.max_mig_devices(gpu, &places) != nvml::kSuccess) {
    return std::nullopt;
  }
  std::vector<DeviceInfo> instances;
  for (unsigned i = 0; i < places; ++i) {
    nvml::Device handle = nullptr;
    if (nvml.mig_device_at(gpu, i, &handle) != nvml::kSuccess) continue;  // an unused place
    DeviceInfo instance = describe_handle(nvml, handle, gpu);
    nvml::Attributes attributes;
    if (nvml.attributes(handle, &attributes) == nvml::kSuccess) {
      instance.units = attributes.multiprocessors;
    }
    instances.push_back(std::move(instance));
  }
  return instances;
}

Result<std::vector<DeviceInfo>> list_by_nvml(const Nvml& nvml) {
  unsigned count = 0;
  if (const auto status = nvml.device_count(&count); status != nvml::kSuccess) {
    return fail(ErrorCode::unavailable,
                std::string("nvmlDeviceGetCount: ") + nvml.error_string(status));
  }
  std::vector<DeviceInfo> devices;
  for (unsigned i = 0; i < count; ++i) {
    nvml::Device gpu = nullptr;
    if (nvml.device_at(i, &gpu) != nvml::kSuccess) continue;  // lost, or not ours to see
    if (auto instances = instances_of(nvml, gpu)) {
      std::ranges::move(*instances, std::back_inserter(devices));
    } else {
      devices.push_back(describe_handle(nvml, gpu, gpu));
    }
  }
  return devices;
}

const DeviceInfo* find_visible(const std::vector<DeviceInfo>& all, std::string_view entry) {
  std::size_t index = 0;
  const char* const end = entry.data() + entry.size();
  if (const auto parsed = std::from_chars(entry.data(), end, index);
      parsed.ec == std::errc() && parsed.ptr == end) {
    return index < all.size() ? &all[index] : nullptr;
  }
  if (!entry.starts_with("GPU-") && !entry.starts_with("MIG-")) return nullptr;
  const auto found = std::ranges::find_if(
      all, [&](const DeviceInfo& device) { return device.uuid.starts_with(entry); });
  return found == all.end() ? nullptr : &*found;
}

std::vector<DeviceInfo> only_visible(const std::vector<DeviceInfo>& all, std::string_view list) {
  std::vector<DeviceInfo> chosen;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const DeviceInfo* device = find_visible(all, list.substr(0, comma));
    if (device == nullptr) break;
    chosen.push_back(*device);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return chosen;
}

void number(std::vector<DeviceInfo>& devices, const std::string& driver) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].id = DeviceId{fmt::format("cuda:{}", i)};
    devices[i].driver = driver;
  }
}

}  // namespace

Result<std::vector<DeviceInfo>> cuda_devices(const CudaDriver& driver, const Nvml* nvml,
                                             const std::optional<std::string>& visible) {
  ASSAY_TRY(std::vector<DeviceInfo> known, list_by_driver(driver));
  int version = 0;
  driver.driver_version(&version);
  if (nvml == nullptr) {
    number(known, fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10));
    return known;
  }
  ASSAY_TRY(std::vector<DeviceInfo> devices, list_by_nvml(*nvml));
  for (DeviceInfo& device : devices) {  // what only the driver knows
    const auto same = std::ranges::find(known, device.uuid, &DeviceInfo::uuid);
    if (same != known.end()) device.units = same->units;
  }
  if (visible) devices = only_visible(devices, *visible);
  number(devices,
         text_of([&](char* text, unsigned size) { return nvml->driver_version(text, size); }));
  return devices;
}

CudaInventory find_cuda_devices(const std::optional<std::string>& visible) {
  const auto driver = CudaDriver::open();
  if (!driver) return {.devices = {}, .why_none = driver.error().message()};
  const auto nvml = Nvml::open();
  auto devices = cuda_devices(*driver, nvml ? &*nvml : nullptr, visible);
  if (!devices) return {.devices = {}, .why_none = devices.error().message()};
  std::string why;
  if (devices->empty()) {
    why = visible ? "CUDA_VISIBLE_DEVICES leaves no GPU" : "the driver knows no GPU";
  }
  return {.devices = std::move(*devices), .why_none = std::move(why)};
}

}  // namespace assay::device
