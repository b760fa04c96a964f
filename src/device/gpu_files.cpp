#include "device/gpu_files.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "device/nvml.hpp"

namespace assay::device {
namespace {

bool has_uuid(const Nvml& nvml, nvml::Device device, std::string_view uuid) {
  std::array<char, nvml::kTextSize> text{};
  return nvml.uuid(device, text.data(), nvml::kTextSize) == nvml::kSuccess && uuid == text.data();
}

std::optional<MigInstance> instance(const Nvml& nvml, nvml::Device gpu, std::string_view uuid) {
  unsigned places = 0;
  if (nvml.max_mig_devices(gpu, &places) != nvml::kSuccess) return std::nullopt;
  for (unsigned i = 0; i < places; ++i) {
    nvml::Device part = nullptr;
    if (nvml.mig_device_at(gpu, i, &part) != nvml::kSuccess || !has_uuid(nvml, part, uuid)) {
      continue;
    }
    MigInstance found;
    if (nvml.gpu_instance(part, &found.gpu_instance) == nvml::kSuccess &&
        nvml.compute_instance(part, &found.compute_instance) == nvml::kSuccess) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

GpuFiles gpu_files(const Nvml& nvml, std::string_view uuid) {
  unsigned count = 0;
  if (nvml.device_count(&count) != nvml::kSuccess) return {};
  for (unsigned i = 0; i < count; ++i) {
    nvml::Device gpu = nullptr;
    if (nvml.device_at(i, &gpu) != nvml::kSuccess) continue;
    const auto part = instance(nvml, gpu, uuid);
    if (!part && !has_uuid(nvml, gpu, uuid)) continue;
    unsigned number = 0;
    if (nvml.device_file(gpu, &number) != nvml::kSuccess) return {};
    return {.number = number, .mig = part};
  }
  return {};
}

GpuFiles find_gpu_files(std::string_view uuid) {
  const auto nvml = Nvml::open();
  return nvml ? gpu_files(*nvml, uuid) : GpuFiles{};
}

}  // namespace assay::device
