// Streams and events. Every operation is done when its call returns, so a stream only remembers
// how it was made, and an event only when it was recorded.
#include <atomic>
#include <chrono>
#include <set>

#include "api_state.hpp"

struct CUstream_st {
  unsigned flags;
  int priority;
};
struct CUevent_st {
  unsigned flags;
  bool recorded;
  std::chrono::steady_clock::time_point time;
};

namespace assay::simt {
namespace {

constexpr int kGreatestPriority = -5;

/// Handles given out and not yet taken back: a stale one is an error, not a crash.
template <class T>
class Handles {
 public:
  void add(T* handle) {
    const std::lock_guard lock(mutex_);
    live_.insert(handle);
  }
  bool remove(T* handle) {
    const std::lock_guard lock(mutex_);
    return live_.erase(handle) > 0;
  }
  bool has(T* handle) {
    const std::lock_guard lock(mutex_);
    return live_.contains(handle);
  }

 private:
  std::mutex mutex_;
  std::set<T*> live_;
};

Handles<CUstream_st>& streams() {
  static auto* const handles = new Handles<CUstream_st>;
  return *handles;
}
Handles<CUevent_st>& events() {
  static auto* const handles = new Handles<CUevent_st>;
  return *handles;
}

bool is_built_in(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace
}  // namespace assay::simt

using namespace assay::simt;

extern "C" {

cudaError_t assay_simt_check_stream(cudaStream_t stream) {
  const bool valid = is_built_in(stream) || streams().has(stream);
  return remember(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return remember(cudaErrorInvalidValue);
  const int clamped = priority > 0                   ? 0
                      : priority < kGreatestPriority ? kGreatestPriority
                                                     : priority;
  *stream = new CUstream_st{flags, clamped};
  streams().add(*stream);
  return remember(cudaSuccess);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!streams().remove(stream)) return remember(cudaErrorInvalidResourceHandle);
  delete stream;
  return remember(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return assay_simt_check_stream(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return assay_simt_check_stream(stream);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  *priority = is_built_in(stream) ? 0 : stream->priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  *flags = is_built_in(stream) ? cudaStreamDefault : stream->flags;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  if (function == nullptr) return remember(cudaErrorInvalidValue);
  function(data);
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned /*flags*/) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  if (callback == nullptr) return remember(cudaErrorInvalidValue);
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return remember(cudaErrorInvalidValue);
  *event = new CUevent_st{flags, false, {}};
  events().add(*event);
  return remember(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!events().remove(event)) return remember(cudaErrorInvalidResourceHandle);
  delete event;
  return remember(cudaSuccess);
}
cudaError_t assay_simt_event_record(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  if (!events().has(event)) return remember(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t assay_simt_stream_wait_event(cudaStream_t stream, cudaEvent_t event) {
  if (const cudaError_t error = assay_simt_check_stream(stream); error != cudaSuccess) return error;
  return remember(events().has(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return remember(events().has(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr) return remember(cudaErrorInvalidValue);
  if (!events().has(start) || !events().has(end)) return remember(cudaErrorInvalidResourceHandle);
  const bool timed = ((start->flags | end->flags) & cudaEventDisableTiming) == 0;
  if (!timed || !start->recorded || !end->recorded) return remember(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return remember(cudaSuccess);
}

cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}
}
