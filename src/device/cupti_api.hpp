#pragma once

#include <cstddef>
#include <cstdint>

// What we use of CUPTI's C interface, declared here so that no CUDA header is needed to build.
// Layouts and numbers are those of CUPTI 12.6 to 13 on 64-bit Linux. Newer versions only append to
// records, so each is declared up to the last field that we read. tests/support/cupti_layout.cpp
// compares every line of this with NVIDIA's headers.
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

/// One of the kinds that CUPTI keeps for tools. PyTorch's profiler uses the two before it.
inline constexpr int kExternalKind = 5;  // CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2
inline constexpr std::uint32_t kFlushCompleted = 0;
inline constexpr std::uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

/// Threads as the kernel numbers them. Unasked, CUPTI tells pthread_self(), cut to 32 bits.
inline constexpr int kSystemThreadIds = 1;  // CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM

/// Calls that begin and end what a program wants profiled.
inline constexpr CallbackId kRuntimeProfilerStart = 171;
inline constexpr CallbackId kRuntimeProfilerStop = 172;
inline constexpr CallbackId kDriverProfilerStart = 308;
inline constexpr CallbackId kDriverProfilerStop = 309;

enum class CopyKind : std::uint8_t {
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 8,
  host_to_host = 9,
  peer = 10,
};

struct KernelRecord {  // CUpti_ActivityKernel9 and 10
  Kind kind;
  std::uint8_t cache_config;
  std::uint8_t not_read_1;
  std::uint16_t registers;
  std::uint32_t not_read_2[2];
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid_size[3];
  std::int32_t block_size[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid;
  const char* name;
  std::uint64_t not_read_3[3];
  std::uint8_t launch_type;
  std::uint8_t not_read_4[3];
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::int32_t shared_limit;
  std::uint32_t graph;
  std::uint64_t not_read_5[2];
  std::uint32_t cluster_size[3];
  std::uint32_t cluster_policy;
};

struct CopyRecord {  // CUpti_ActivityMemcpy5 and 6
  Kind kind;
  CopyKind copy_kind;
  std::uint8_t source_kind;
  std::uint8_t destination_kind;
  std::uint8_t not_read_1;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint64_t not_read_2[2];
  std::uint64_t graph_node;
};

struct PeerCopyRecord {  // CUpti_ActivityMemcpyPtoP4
  Kind kind;
  CopyKind copy_kind;
  std::uint8_t source_kind;
  std::uint8_t destination_kind;
  std::uint8_t not_read_1;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t source_device;
  std::uint32_t source_context;
  std::uint32_t destination_device;
  std::uint32_t destination_context;
  std::uint32_t correlation;
  std::uint64_t not_read_2;
  std::uint64_t graph_node;
};

struct MemsetRecord {  // CUpti_ActivityMemset4
  Kind kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t not_read_1;
  std::uint16_t memory_kind;
  std::uint32_t not_read_2;
  std::uint64_t not_read_3;
  std::uint64_t graph_node;
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

/// The beginning of CUpti_CallbackData: whether the call begins (0) or ends (1).
struct CallbackData {
  int site;
};

using Callback = void (*)(void* user, Domain domain, CallbackId id, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* max_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
using NextRecord = Status (*)(std::uint8_t* buffer, std::size_t valid, const void** record);

}  // namespace assay::device::cupti
