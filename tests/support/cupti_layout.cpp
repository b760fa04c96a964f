// Holds src/device/cupti_api.hpp against NVIDIA's headers, at compile time, and our reader against
// NVIDIA's library, over records made with NVIDIA's types. Needs no GPU.
// Usage: cupti_layout LIBRARY, where LIBRARY is the libcupti.so that goes with the headers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include <cuda.h>
#include <cupti.h>

#include "device/activity_records.hpp"
#include "device/cupti.hpp"
#include "device/cupti_api.hpp"

namespace ours = assay::device::cupti;
namespace device = assay::device;

#if CUPTI_API_VERSION >= 130000
using Kernel = CUpti_ActivityKernel10;
#else
using Kernel = CUpti_ActivityKernel9;
#endif

#define SAME_NUMBER(mine, theirs) static_assert(static_cast<int>(ours::mine) == (theirs))
SAME_NUMBER(kSuccess, CUPTI_SUCCESS);
SAME_NUMBER(kInvalidParameter, CUPTI_ERROR_INVALID_PARAMETER);
SAME_NUMBER(kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_NUMBER(kQueueEmpty, CUPTI_ERROR_QUEUE_EMPTY);
SAME_NUMBER(kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME_NUMBER(kUnknown, CUPTI_ERROR_UNKNOWN);
SAME_NUMBER(Domain::driver, CUPTI_CB_DOMAIN_DRIVER_API);
SAME_NUMBER(Domain::runtime, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME_NUMBER(Kind::copy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME_NUMBER(Kind::memset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME_NUMBER(Kind::driver_call, CUPTI_ACTIVITY_KIND_DRIVER);
SAME_NUMBER(Kind::runtime_call, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME_NUMBER(Kind::kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_NUMBER(Kind::peer_copy, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME_NUMBER(Kind::external_correlation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
SAME_NUMBER(kExternalKind, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2);
SAME_NUMBER(kSystemThreadIds, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME_NUMBER(kFlushCompleted, 0);
SAME_NUMBER(kRuntimeProfilerStart, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000);
SAME_NUMBER(kRuntimeProfilerStop, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000);
SAME_NUMBER(kDriverProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
SAME_NUMBER(kDriverProfilerStop, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
SAME_NUMBER(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME_NUMBER(CopyKind::host_to_device, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
SAME_NUMBER(CopyKind::device_to_host, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
SAME_NUMBER(CopyKind::device_to_device, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
SAME_NUMBER(CopyKind::host_to_host, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
SAME_NUMBER(CopyKind::peer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);

#define SAME_FIELD(Mine, mine, Theirs, theirs)                            \
  static_assert(offsetof(ours::Mine, mine) == offsetof(Theirs, theirs) && \
                sizeof(ours::Mine::mine) == sizeof(Theirs::theirs))
SAME_FIELD(KernelRecord, kind, Kernel, kind);
SAME_FIELD(KernelRecord, start, Kernel, start);
SAME_FIELD(KernelRecord, end, Kernel, end);
SAME_FIELD(KernelRecord, completed, Kernel, completed);
SAME_FIELD(KernelRecord, cache_config, Kernel, cacheConfig);
SAME_FIELD(KernelRecord, registers, Kernel, registersPerThread);
SAME_FIELD(KernelRecord, device, Kernel, deviceId);
SAME_FIELD(KernelRecord, context, Kernel, contextId);
SAME_FIELD(KernelRecord, stream, Kernel, streamId);
SAME_FIELD(KernelRecord, grid_size[0], Kernel, gridX);
SAME_FIELD(KernelRecord, grid_size[2], Kernel, gridZ);
SAME_FIELD(KernelRecord, block_size[0], Kernel, blockX);
SAME_FIELD(KernelRecord, block_size[2], Kernel, blockZ);
SAME_FIELD(KernelRecord, static_shared, Kernel, staticSharedMemory);
SAME_FIELD(KernelRecord, dynamic_shared, Kernel, dynamicSharedMemory);
SAME_FIELD(KernelRecord, local_per_thread, Kernel, localMemoryPerThread);
SAME_FIELD(KernelRecord, local_total, Kernel, localMemoryTotal);
SAME_FIELD(KernelRecord, launch_type, Kernel, launchType);
SAME_FIELD(KernelRecord, shared_executed, Kernel, sharedMemoryExecuted);
SAME_FIELD(KernelRecord, graph_node, Kernel, graphNodeId);
SAME_FIELD(KernelRecord, shared_limit, Kernel, shmemLimitConfig);
SAME_FIELD(KernelRecord, graph, Kernel, graphId);
SAME_FIELD(KernelRecord, cluster_size[0], Kernel, clusterX);
SAME_FIELD(KernelRecord, cluster_size[2], Kernel, clusterZ);
SAME_FIELD(KernelRecord, cluster_policy, Kernel, clusterSchedulingPolicy);
SAME_FIELD(KernelRecord, correlation, Kernel, correlationId);
SAME_FIELD(KernelRecord, grid, Kernel, gridId);
SAME_FIELD(KernelRecord, name, Kernel, name);
SAME_FIELD(CopyRecord, kind, CUpti_ActivityMemcpy6, kind);
SAME_FIELD(CopyRecord, copy_kind, CUpti_ActivityMemcpy6, copyKind);
SAME_FIELD(CopyRecord, bytes, CUpti_ActivityMemcpy6, bytes);
SAME_FIELD(CopyRecord, start, CUpti_ActivityMemcpy6, start);
SAME_FIELD(CopyRecord, end, CUpti_ActivityMemcpy6, end);
SAME_FIELD(CopyRecord, source_kind, CUpti_ActivityMemcpy6, srcKind);
SAME_FIELD(CopyRecord, destination_kind, CUpti_ActivityMemcpy6, dstKind);
SAME_FIELD(CopyRecord, device, CUpti_ActivityMemcpy6, deviceId);
SAME_FIELD(CopyRecord, context, CUpti_ActivityMemcpy6, contextId);
SAME_FIELD(CopyRecord, stream, CUpti_ActivityMemcpy6, streamId);
SAME_FIELD(CopyRecord, graph_node, CUpti_ActivityMemcpy6, graphNodeId);
SAME_FIELD(CopyRecord, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME_FIELD(PeerCopyRecord, kind, CUpti_ActivityMemcpyPtoP4, kind);
SAME_FIELD(PeerCopyRecord, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME_FIELD(PeerCopyRecord, start, CUpti_ActivityMemcpyPtoP4, start);
SAME_FIELD(PeerCopyRecord, end, CUpti_ActivityMemcpyPtoP4, end);
SAME_FIELD(PeerCopyRecord, source_kind, CUpti_ActivityMemcpyPtoP4, srcKind);
SAME_FIELD(PeerCopyRecord, destination_kind, CUpti_ActivityMemcpyPtoP4, dstKind);
SAME_FIELD(PeerCopyRecord, device, CUpti_ActivityMemcpyPtoP4, deviceId);
SAME_FIELD(PeerCopyRecord, context, CUpti_ActivityMemcpyPtoP4, contextId);
SAME_FIELD(PeerCopyRecord, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME_FIELD(PeerCopyRecord, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
SAME_FIELD(PeerCopyRecord, copy_kind, CUpti_ActivityMemcpyPtoP4, copyKind);
SAME_FIELD(PeerCopyRecord, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME_FIELD(PeerCopyRecord, source_context, CUpti_ActivityMemcpyPtoP4, srcContextId);
SAME_FIELD(PeerCopyRecord, destination_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME_FIELD(PeerCopyRecord, destination_context, CUpti_ActivityMemcpyPtoP4, dstContextId);
SAME_FIELD(PeerCopyRecord, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME_FIELD(MemsetRecord, kind, CUpti_ActivityMemset4, kind);
SAME_FIELD(MemsetRecord, value, CUpti_ActivityMemset4, value);
SAME_FIELD(MemsetRecord, bytes, CUpti_ActivityMemset4, bytes);
SAME_FIELD(MemsetRecord, start, CUpti_ActivityMemset4, start);
SAME_FIELD(MemsetRecord, end, CUpti_ActivityMemset4, end);
SAME_FIELD(MemsetRecord, device, CUpti_ActivityMemset4, deviceId);
SAME_FIELD(MemsetRecord, context, CUpti_ActivityMemset4, contextId);
SAME_FIELD(MemsetRecord, stream, CUpti_ActivityMemset4, streamId);
SAME_FIELD(MemsetRecord, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME_FIELD(MemsetRecord, graph_node, CUpti_ActivityMemset4, graphNodeId);
SAME_FIELD(MemsetRecord, correlation, CUpti_ActivityMemset4, correlationId);
SAME_FIELD(CallRecord, kind, CUpti_ActivityAPI, kind);
SAME_FIELD(CallRecord, callback, CUpti_ActivityAPI, cbid);
SAME_FIELD(CallRecord, start, CUpti_ActivityAPI, start);
SAME_FIELD(CallRecord, end, CUpti_ActivityAPI, end);
SAME_FIELD(CallRecord, process, CUpti_ActivityAPI, processId);
SAME_FIELD(CallRecord, thread, CUpti_ActivityAPI, threadId);
SAME_FIELD(CallRecord, correlation, CUpti_ActivityAPI, correlationId);
SAME_FIELD(CallRecord, returned, CUpti_ActivityAPI, returnValue);
SAME_FIELD(ExternalCorrelationRecord, kind, CUpti_ActivityExternalCorrelation, kind);
SAME_FIELD(ExternalCorrelationRecord, external_kind, CUpti_ActivityExternalCorrelation,
           externalKind);
SAME_FIELD(ExternalCorrelationRecord, external_id, CUpti_ActivityExternalCorrelation, externalId);
SAME_FIELD(ExternalCorrelationRecord, correlation, CUpti_ActivityExternalCorrelation,
           correlationId);
SAME_FIELD(CallbackData, site, CUpti_CallbackData, callbackSite);
#if CUPTI_API_VERSION >= 130000
SAME_FIELD(SubscriberParameters, size, CUpti_SubscriberParams, structSize);
SAME_FIELD(SubscriberParameters, name, CUpti_SubscriberParams, subscriberName);
SAME_FIELD(SubscriberParameters, other_name, CUpti_SubscriberParams, oldSubscriberName);
SAME_FIELD(SubscriberParameters, other_size, CUpti_SubscriberParams, oldSubscriberSize);
static_assert(sizeof(ours::SubscriberParameters) == CUpti_SubscriberParams_STRUCT_SIZE);
// The sizes that src/device/testkit/fake_cupti.cpp gives its records.
static_assert(sizeof(Kernel) == 216 && sizeof(CUpti_ActivityMemcpy6) == 96 &&
              sizeof(CUpti_ActivityMemcpyPtoP4) == 96 && sizeof(CUpti_ActivityMemset4) == 88 &&
              sizeof(CUpti_ActivityAPI) == 40 && sizeof(CUpti_ActivityExternalCorrelation) == 24);
#endif

// A function's type differs where a parameter has another size; enumerations pass as their type.
template <class T>
struct Plain {
  using type = T;
};
template <class T>
  requires std::is_enum_v<T>
struct Plain<T> {
  using type = int;
};
template <class T>
struct Plain<T*> {
  using type = void*;
};
template <class R, class... A>
std::type_identity<typename Plain<R>::type(typename Plain<A>::type...)> plain(R (*)(A...));
#define FUNCTION_OF(mine) static_cast<decltype(device::Cupti::mine)>(nullptr)
#define SAME_FUNCTION(mine, theirs) \
  static_assert(std::is_same_v<decltype(plain(FUNCTION_OF(mine))), decltype(plain(&theirs))>)
SAME_FUNCTION(version, cuptiGetVersion);
SAME_FUNCTION(result_string, cuptiGetResultString);
SAME_FUNCTION(timestamp, cuptiGetTimestamp);
SAME_FUNCTION(subscribe, cuptiSubscribe);
SAME_FUNCTION(unsubscribe, cuptiUnsubscribe);
SAME_FUNCTION(enable_callback, cuptiEnableCallback);
SAME_FUNCTION(callback_name, cuptiGetCallbackName);
SAME_FUNCTION(enable_driver_call, cuptiActivityEnableDriverApi);
SAME_FUNCTION(enable_runtime_call, cuptiActivityEnableRuntimeApi);
SAME_FUNCTION(set_thread_id_type, cuptiSetThreadIdType);
SAME_FUNCTION(register_buffers, cuptiActivityRegisterCallbacks);
SAME_FUNCTION(enable, cuptiActivityEnable);
SAME_FUNCTION(disable, cuptiActivityDisable);
SAME_FUNCTION(push_external_id, cuptiActivityPushExternalCorrelationId);
SAME_FUNCTION(pop_external_id, cuptiActivityPopExternalCorrelationId);
SAME_FUNCTION(flush, cuptiActivityFlushAll);
SAME_FUNCTION(dropped_records, cuptiActivityGetNumDroppedRecords);
SAME_FUNCTION(next_record, cuptiActivityGetNextRecord);
static_assert(std::is_same_v<decltype(plain(ours::BufferRequested{})),
                             decltype(plain(CUpti_BuffersCallbackRequestFunc{}))>);
static_assert(std::is_same_v<decltype(plain(ours::BufferCompleted{})),
                             decltype(plain(CUpti_BuffersCallbackCompleteFunc{}))>);
#if CUPTI_API_VERSION >= 130000
SAME_FUNCTION(subscribe_named, cuptiSubscribe_v2);
#endif

namespace {

template <class Record>
void append(std::vector<std::uint8_t>& buffer, const Record& record) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&record);
  buffer.insert(buffer.end(), from, from + sizeof record);
}

/// One record of each kind, correlation ids 1 to 4 for what the device did.
std::vector<std::uint8_t> one_of_each() {
  std::vector<std::uint8_t> buffer;
  CUpti_ActivityExternalCorrelation mark{};
  mark.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  mark.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
  mark.externalId = 42;
  mark.correlationId = 1;
  append(buffer, mark);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  call.correlationId = 1;
  call.start = 90;
  append(buffer, call);
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.start = 80;
  append(buffer, call);
  Kernel kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = "kernel";
  kernel.correlationId = 1;
  kernel.start = 101;
  kernel.end = 111;
  append(buffer, kernel);
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.correlationId = 2;
  copy.start = 102;
  copy.end = 112;
  append(buffer, copy);
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.correlationId = 3;
  peer.start = 103;
  peer.end = 113;
  append(buffer, peer);
  CUpti_ActivityMemset4 memset{};
  memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  memset.correlationId = 4;
  memset.start = 104;
  memset.end = 114;
  append(buffer, memset);
  return buffer;
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  require(count == 2, "there is one argument, the library");
  const auto cupti = device::Cupti::open(arguments[1]);
  require(cupti.has_value(), "the library opens");
  std::uint32_t version = 0;
  require(cupti->version(&version) == 0 && version == CUPTI_API_VERSION,
          "the library goes with the headers");

  std::vector<std::uint8_t> buffer = one_of_each();
  device::ActivityRecords records;
  records.add(buffer, cupti->next_record);
  require(records.unreadable == 0, "every record is read");
  require(records.marks.at(1) == 42, "the mark is read");
  require(records.launched.at(1) == device::TraceTime(80), "the calls are read");
  require(records.activities.size() == 4, "there are a kernel, two copies and a memset");
  for (std::uint32_t i = 1; i <= 4; ++i) {
    const device::DeviceActivity& activity = records.activities[i - 1];
    require(activity.correlation == i, "correlation ids are read");
    require(activity.start == device::TraceTime(100 + i), "starts are read");
    require(activity.end == device::TraceTime(110 + i), "ends are read");
  }
  require(records.names[0] == "kernel" && records.names[1] == "[copy host to device]",
          "names are read");

  std::printf("%u: records and functions are those of the headers\n", version);
}
