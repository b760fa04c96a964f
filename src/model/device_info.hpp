#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/ids.hpp"
#include "model/names.hpp"

namespace assay {

enum class DeviceKind : std::uint8_t { cpu, cuda };

inline constexpr NameTable<DeviceKind, 2> kDeviceKindNames = {{
    {DeviceKind::cpu, "cpu"},
    {DeviceKind::cuda, "cuda"},
}};

constexpr std::string_view to_string(DeviceKind kind) {
  return name_in(kDeviceKindNames, kind);
}

/// "9.0": which machine code a GPU runs. Zero on `cpu`.
struct ComputeCapability {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  friend bool operator==(const ComputeCapability&, const ComputeCapability&) = default;
};

struct DeviceInfo {
  DeviceId id;
  DeviceKind kind = DeviceKind::cpu;
  std::string name;    // "AMD EPYC 7B13", "NVIDIA H200"
  std::string driver;  // empty on `cpu`
  std::uint64_t memory_bytes = 0;
  std::uint32_t units = 0;  // cores, or multiprocessors
  std::string uuid{};       // of a GPU or a MIG instance, as CUDA_VISIBLE_DEVICES takes it
  ComputeCapability compute{};
  std::uint64_t most_tensor_bytes = 0;  // that one kernel may have there
  std::uint64_t most_kernel_bytes = 0;  // of a GPU's memory that one kernel may hold; 0: no limit
  bool clocks_locked = false;           // of a GPU, for as long as the server holds them
  bool has_sanitizer = false;           // compute-sanitizer can be put around what runs there
};

}  // namespace assay
