#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace assay::device {
namespace nvml {

// What we use of NVIDIA's management library, declared here so that no header of it is needed.
using Status = int;
using Device = struct DeviceTag*;
using EventSet = struct EventSetTag*;

inline constexpr Status kSuccess = 0;
inline constexpr Status kInsufficientSize = 7;
inline constexpr Status kTimeout = 10;
inline constexpr Status kGpuIsLost = 15;
inline constexpr Status kResetRequired = 16;

inline constexpr unsigned kTextSize = 96;  // the longest name, UUID or version there is

struct Memory {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
  std::uint64_t used = 0;
};

/// The size of a MIG instance.
struct Attributes {
  std::uint32_t multiprocessors = 0;
  std::array<std::uint32_t, 7> engines_and_slices{};
  std::uint64_t memory_mib = 0;
};

/// One that holds a context.
struct Process {
  unsigned pid = 0;
  unsigned long long memory_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};

struct EventData {
  Device device = nullptr;
  std::uint64_t type = 0;
  std::uint64_t data = 0;  // the Xid
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
};

inline constexpr std::uint64_t kXidEvent = 8;
inline constexpr int kTemperatureGpu = 0;
inline constexpr int kClockSm = 1;
inline constexpr int kClockMemory = 2;
inline constexpr unsigned kBaseClock = 0xFFFFFF01;  // NVML_CLOCK_LIMIT_ID_TDP, for megahertz
inline constexpr int kUncorrected = 1;
inline constexpr int kVolatile = 0;  // since the driver was loaded

}  // namespace nvml

/// The functions of libnvidia-ml that we call, in a table so that tests can stand in for it.
struct Nvml {
  /// Opens the library and initialises it. Fails with `not_found` where it is not installed.
  [[nodiscard]] static Result<Nvml> open();

  nvml::Status (*init)();
  const char* (*error_string)(nvml::Status status);
  nvml::Status (*driver_version)(char* text, unsigned size);
  nvml::Status (*device_count)(unsigned* count);
  nvml::Status (*device_at)(unsigned index, nvml::Device* device);
  nvml::Status (*device_by_uuid)(const char* uuid, nvml::Device* device);
  nvml::Status (*name)(nvml::Device device, char* text, unsigned size);
  nvml::Status (*uuid)(nvml::Device device, char* text, unsigned size);
  /// N of /dev/nvidiaN.
  nvml::Status (*device_file)(nvml::Device device, unsigned* number);
  nvml::Status (*gpu_instance)(nvml::Device instance, unsigned* id);
  nvml::Status (*compute_instance)(nvml::Device instance, unsigned* id);
  nvml::Status (*compute_capability)(nvml::Device device, int* major, int* minor);
  nvml::Status (*memory)(nvml::Device device, nvml::Memory* memory);
  nvml::Status (*temperature)(nvml::Device device, int sensor, unsigned* celsius);
  nvml::Status (*clock)(nvml::Device device, int which, unsigned* megahertz);
  nvml::Status (*max_clock)(nvml::Device device, int which, unsigned* megahertz);
  /// Both are null where the library is too old. Only root may.
  nvml::Status (*lock_clocks)(nvml::Device device, unsigned least_megahertz,
                              unsigned most_megahertz);
  nvml::Status (*unlock_clocks)(nvml::Device device);
  nvml::Status (*power)(nvml::Device device, unsigned* milliwatts);
  /// `count` is the room on entry and the number of processes on return; `kInsufficientSize` where
  /// the room is too small.
  nvml::Status (*compute_processes)(nvml::Device device, unsigned* count, nvml::Process* processes);
  nvml::Status (*throttle_reasons)(nvml::Device device, unsigned long long* bits);
  nvml::Status (*ecc_errors)(nvml::Device device, int kind, int counter, unsigned long long* count);
  nvml::Status (*mig_mode)(nvml::Device device, unsigned* current, unsigned* pending);
  nvml::Status (*max_mig_devices)(nvml::Device device, unsigned* count);
  nvml::Status (*mig_device_at)(nvml::Device device, unsigned index, nvml::Device* instance);
  nvml::Status (*attributes)(nvml::Device device, nvml::Attributes* attributes);
  nvml::Status (*event_set_create)(nvml::EventSet* set);
  nvml::Status (*register_events)(nvml::Device device, unsigned long long types,
                                  nvml::EventSet set);
  nvml::Status (*event_wait)(nvml::EventSet set, nvml::EventData* data, unsigned milliseconds);
};

}  // namespace assay::device
