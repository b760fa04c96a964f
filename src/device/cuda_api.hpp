#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// What we use of the CUDA driver's C interface, declared here so that no CUDA header is needed to
// build. Layouts and numbers are those of CUDA 12 and 13 on 64-bit Linux.
namespace assay::device::cuda {

using Status = int;  // CUresult
using Device = int;
using DevicePointer = std::uint64_t;
using AllocationHandle = std::uint64_t;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphExecution = struct GraphExecutionTag*;

inline constexpr int kCaptureThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidValue = 1;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNoDevice = 100;
inline constexpr Status kNotFound = 500;
inline constexpr Status kIllegalAddress = 700;
inline constexpr Status kLaunchOutOfResources = 701;
inline constexpr Status kCooperativeLaunchTooLarge = 720;
inline constexpr Status kInvalidClusterSize = 912;

enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  warp_size = 10,
  clock_rate = 13,  // kHz
  multiprocessor_count = 16,
  memory_clock_rate = 36,        // kHz
  global_memory_bus_width = 37,  // bits
  l2_cache_size = 38,
  max_threads_per_multiprocessor = 39,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_multiprocessor = 81,
  max_registers_per_multiprocessor = 82,
  max_shared_memory_per_block_optin = 97,
  concurrent_managed_access = 89,
  posix_file_descriptor_handles = 103,
  max_blocks_per_multiprocessor = 106,
  reserved_shared_memory_per_block = 111,
};

enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  const_size_bytes = 2,
  local_size_bytes = 3,
  registers = 4,
  max_dynamic_shared_size_bytes = 8,
  non_portable_cluster_size_allowed = 14,
};

enum class Limit : int { persisting_l2_cache_size = 6 };

struct Uuid {
  std::array<std::uint8_t, 16> bytes;
};

inline constexpr unsigned kAttachGlobal = 1;       // CU_MEM_ATTACH_GLOBAL
inline constexpr unsigned kScheduleSpin = 1;       // CU_CTX_SCHED_SPIN
inline constexpr unsigned kEventDefault = 0;       // times are recorded
inline constexpr unsigned kStreamNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
inline constexpr int kPosixFileDescriptor = 1;     // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
inline constexpr int kGranularityRecommended = 1;  // CU_MEM_ALLOC_GRANULARITY_RECOMMENDED

struct MemoryLocation {
  int type = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int id = 0;    // a device ordinal
};

struct AllocationProperties {
  int type = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
  int handle_types = kPosixFileDescriptor;
  MemoryLocation location;
  void* windows_only = nullptr;
  std::array<std::uint8_t, 8> flags{};
};

struct AccessDescription {
  MemoryLocation location;
  int flags = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
};

enum class LaunchAttributeId : int { cooperative = 2, cluster_dimension = 4 };

struct LaunchAttribute {
  LaunchAttributeId id;
  std::uint32_t padding = 0;
  std::array<std::uint32_t, 16> value{};  // a union of 64 bytes
};

struct LaunchConfiguration {
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  std::uint32_t shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  std::uint32_t attribute_count = 0;
};

static_assert(sizeof(AllocationProperties) == 32 && sizeof(AccessDescription) == 12);
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfiguration) == 56);

}  // namespace assay::device::cuda
