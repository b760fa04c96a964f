#pragma once

#include <cstddef>
#include <cstdint>

// What we use of CUPTI's C interface, declared here so that no CUDA header is needed to build.
// Layouts and numbers are those of CUPTI 12.6 to 13 on 64-bit Linux; newer versions only append to
// records, so each is declared up to the last field that we read. tests/support/cupti_layout.cpp
// holds every line of this against NVIDIA's headers.
namespace assay::device::cupti {

using Status = int;  // CUptiResult
using Subscriber = struct SubscriberTag*;
using CallbackId = std::uint32_t;

inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidParameter = 1;
inline constexpr Status kMaxLimitReached = 12;
inline constexpr Status kQueueEmpty = 18;
inline constexpr Status kMultipleSubscribers = 39;
inline constexpr Status kUnknown = 999;

enum class Domain : int { driver = 1, runtime = 2 };

enum class Kind : int {
  copy = 1,
  memset = 2,
  driver_call = 4,
  runtime_call = 5,
  kernel = 10,  // CONCURRENT_KERNEL: kind 3 would run kernels one after the other
  peer_copy = 22,
  external_correlation = 39,
};

/// Of the kinds that CUPTI keeps for tools; PyTorch's profiler uses the two before it.
inline constexpr int kExternalKind = 5;           // CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2
inline constexpr std::uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

enum class CopyKind : std::uint8_t {
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 8,
  host_to_host = 9,
  peer = 10,
};

struct KernelRecord {  // CUpti_ActivityKernel9 and 10
  Kind kind;
  std::uint32_t not_read_1[3];
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t not_read_2[13];
  std::uint32_t correlation;
  std::int64_t grid;
  const char* name;
};

struct CopyRecord {  // CUpti_ActivityMemcpy5 and 6
  Kind kind;
  CopyKind copy_kind;
  std::uint8_t not_read_1[3];
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t not_read_2[3];
  std::uint32_t correlation;
};

struct PeerCopyRecord {  // CUpti_ActivityMemcpyPtoP4
  Kind kind;
  std::uint8_t not_read_1[4];
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t not_read_2[7];
  std::uint32_t correlation;
};

struct MemsetRecord {  // CUpti_ActivityMemset4
  Kind kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t not_read[3];
  std::uint32_t correlation;
};

struct CallRecord {  // CUpti_ActivityAPI: a call of the driver or the runtime
  Kind kind;
  CallbackId callback;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t returned;
};

struct ExternalCorrelationRecord {  // CUpti_ActivityExternalCorrelation
  Kind kind;
  int external_kind;
  std::uint64_t external_id;
  std::uint32_t correlation;
  std::uint32_t reserved;
};

struct SubscriberParameters {  // CUpti_SubscriberParams
  std::size_t size = sizeof(SubscriberParameters);
  const char* name = nullptr;
  char* other_name = nullptr;  // who has the subscription, where it is refused
  std::size_t other_size = 0;
};

using Callback = void (*)(void* user, Domain domain, CallbackId id, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* max_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
using NextRecord = Status (*)(std::uint8_t* buffer, std::size_t valid, const void** record);

}  // namespace assay::device::cupti
