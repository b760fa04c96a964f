#include "device/testkit/fake_gpus.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/nvml.hpp"

namespace assay::device {
namespace {

constexpr nvml::Status kNotSupported = 3;
constexpr nvml::Status kNoPermission = 4;
constexpr nvml::Status kNotFound = 6;

std::vector<FakeGpu> gpus;  // of the one FakeGpus there is

/// A handle is the index of the GPU plus one; of an instance, that plus 100 for each place.
nvml::Device handle_of(std::size_t gpu, std::size_t instance = 0) {
  return reinterpret_cast<nvml::Device>(gpu + 1 + 100 * instance);
}
std::size_t index_of(nvml::Device device) {
  return reinterpret_cast<std::uintptr_t>(device) % 100 - 1;
}
std::size_t instance_of(nvml::Device device) {
  return reinterpret_cast<std::uintptr_t>(device) / 100;
}
FakeGpu& gpu_of(nvml::Device device) {
  return gpus[index_of(device)];
}

std::string uuid_of(nvml::Device device) {
  if (instance_of(device) > 0) {
    return "MIG-" + std::to_string(index_of(device)) + "-" + std::to_string(instance_of(device));
  }
  return to_string(cuda::Uuid{.bytes = {gpu_of(device).uuid}});
}

int copy(const std::string& text, char* to, unsigned size) {
  std::snprintf(to, size, "%s", text.c_str());
  return 0;
}

int attribute(cuda::DeviceAttribute which, const FakeGpu& gpu) {
  switch (which) {
    case cuda::DeviceAttribute::multiprocessor_count:
      return gpu.multiprocessors;
    case cuda::DeviceAttribute::compute_capability_major:
      return gpu.major;
    case cuda::DeviceAttribute::compute_capability_minor:
      return gpu.minor;
    default:
      return 0;
  }
}

nvml::Status next_xid(nvml::EventData& event) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i].xids.empty()) continue;
    event = {.device = handle_of(i), .type = nvml::kXidEvent, .data = gpus[i].xids.front()};
    gpus[i].xids.erase(gpus[i].xids.begin());
    return nvml::kSuccess;
  }
  return nvml::kTimeout;
}

nvml::Status by_uuid(const std::string& uuid, nvml::Device& device) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (uuid_of(handle_of(i)) != uuid) continue;
    device = handle_of(i);
    return nvml::kSuccess;
  }
  return kNotFound;
}

}  // namespace

FakeGpus::FakeGpus(std::vector<FakeGpu> fakes) {
  gpus = std::move(fakes);
}

FakeGpus::~FakeGpus() {
  gpus.clear();
}

FakeGpu& FakeGpus::operator[](std::size_t index) {
  return gpus[index];
}

CudaDriver FakeGpus::driver() const {
  CudaDriver driver{};
  driver.driver_version = [](int* version) {
    *version = 13000;
    return 0;
  };
  driver.error_name = [](int, const char** name) {
    *name = "CUDA_ERROR_FAKE";
    return 0;
  };
  driver.error_string = [](int, const char** text) {
    *text = "a fake failed";
    return 0;
  };
  driver.device_count = [](int* count) {
    *count = static_cast<int>(gpus.size());
    return 0;
  };
  driver.device_get = [](cuda::Device* device, int ordinal) {
    *device = ordinal;
    return 0;
  };
  driver.device_name = [](char* name, int size, cuda::Device device) {
    return copy(gpus[static_cast<std::size_t>(device)].name, name, static_cast<unsigned>(size));
  };
  driver.device_uuid = [](cuda::Uuid* uuid, cuda::Device device) {
    *uuid = {.bytes = {gpus[static_cast<std::size_t>(device)].uuid}};
    return 0;
  };
  driver.device_total_memory = [](std::size_t* bytes, cuda::Device device) {
    *bytes = gpus[static_cast<std::size_t>(device)].memory;
    return 0;
  };
  driver.device_attribute = [](int* value, cuda::DeviceAttribute which, cuda::Device device) {
    *value = attribute(which, gpus[static_cast<std::size_t>(device)]);
    return 0;
  };
  return driver;
}

Nvml FakeGpus::nvml() const {
  Nvml table{};
  table.error_string = [](nvml::Status status) {
    if (status == kNoPermission) return "Insufficient Permissions";
    return status == nvml::kGpuIsLost ? "GPU is lost" : "fake error";
  };
  table.driver_version = [](char* text, unsigned size) { return copy("580.1", text, size); };
  table.device_count = [](unsigned* count) {
    *count = static_cast<unsigned>(gpus.size());
    return 0;
  };
  table.device_at = [](unsigned index, nvml::Device* device) {
    *device = handle_of(index);
    return 0;
  };
  table.device_by_uuid = [](const char* uuid, nvml::Device* device) {
    return by_uuid(uuid, *device);
  };
  table.name = [](nvml::Device device, char* text, unsigned size) {
    return copy(gpu_of(device).name, text, size);
  };
  table.uuid = [](nvml::Device device, char* text, unsigned size) {
    return copy(uuid_of(device), text, size);
  };
  table.device_file = [](nvml::Device device, unsigned* number) {
    *number = static_cast<unsigned>(index_of(device));
    return 0;
  };
  table.gpu_instance = [](nvml::Device instance, unsigned* id) {
    *id = static_cast<unsigned>(instance_of(instance)) + 6;
    return 0;
  };
  table.compute_instance = [](nvml::Device, unsigned* id) {
    *id = 0;
    return 0;
  };
  table.compute_capability = [](nvml::Device device, int* major, int* minor) {
    *major = gpu_of(device).major;
    *minor = gpu_of(device).minor;
    return 0;
  };
  table.memory = [](nvml::Device device, nvml::Memory* memory) {
    if (gpu_of(device).lost) return nvml::kGpuIsLost;
    *memory = {.total = gpu_of(device).memory, .free = 0, .used = 4096};
    return nvml::kSuccess;
  };
  table.temperature = [](nvml::Device, int, unsigned* celsius) {
    *celsius = 41;
    return 0;
  };
  table.clock = [](nvml::Device, int, unsigned* megahertz) {
    *megahertz = 1980;
    return 0;
  };
  table.max_clock = table.clock;
  table.lock_clocks = [](nvml::Device device, unsigned least, unsigned most) {
    if (gpu_of(device).keeps_its_clocks || least != most) return kNoPermission;
    gpu_of(device).locked_at = most;
    return nvml::kSuccess;
  };
  table.unlock_clocks = [](nvml::Device device) {
    gpu_of(device).locked_at.reset();
    return nvml::kSuccess;
  };
  table.power = [](nvml::Device device, unsigned* milliwatts) {
    if (gpu_of(device).lost) return nvml::kGpuIsLost;
    *milliwatts = 321'500;
    return nvml::kSuccess;
  };
  table.compute_processes = [](nvml::Device device, unsigned* count, nvml::Process*) {
    if (gpu_of(device).lost) return nvml::kGpuIsLost;
    const unsigned room = *count;
    *count = gpu_of(device).processes;
    return room < *count ? nvml::kInsufficientSize : nvml::kSuccess;
  };
  table.throttle_reasons = [](nvml::Device device, unsigned long long* bits) {
    *bits = gpu_of(device).throttled;
    return 0;
  };
  table.ecc_errors = [](nvml::Device, int, int, unsigned long long*) { return kNotSupported; };
  table.mig_mode = [](nvml::Device device, unsigned* current, unsigned* pending) {
    *current = *pending = gpu_of(device).mig_instances > 0 ? 1 : 0;
    return 0;
  };
  table.max_mig_devices = [](nvml::Device, unsigned* count) {
    *count = 7;
    return 0;
  };
  table.mig_device_at = [](nvml::Device gpu, unsigned index, nvml::Device* instance) {
    if (static_cast<int>(index) >= gpu_of(gpu).mig_instances) return kNotFound;
    *instance = handle_of(index_of(gpu), index + 1);
    return nvml::kSuccess;
  };
  table.attributes = [](nvml::Device, nvml::Attributes* attributes) {
    attributes->multiprocessors = 16;
    return 0;
  };
  table.event_set_create = [](nvml::EventSet* set) {
    *set = reinterpret_cast<nvml::EventSet>(&gpus);
    return nvml::kSuccess;
  };
  table.register_events = [](nvml::Device, unsigned long long, nvml::EventSet) { return 0; };
  table.event_wait = [](nvml::EventSet, nvml::EventData* event, unsigned) {
    return next_xid(*event);
  };
  return table;
}

}  // namespace assay::device
