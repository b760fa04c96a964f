#include "tracer/testkit/fake_gpu.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "device/cupti_api.hpp"
#include "tracer/clock.hpp"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

namespace cupti = assay::device::cupti;

// As the headers of CUPTI have them: launches, a copy, a memset and one that asks for something.
constexpr cupti::CallbackId kRuntimeLaunch = 1;
constexpr cupti::CallbackId kRuntimeCopy = 2;
constexpr cupti::CallbackId kRuntimeFill = 3;
constexpr cupti::CallbackId kRuntimeQuestion = 4;
constexpr cupti::CallbackId kDriverLaunch = 1;

struct State {
  std::recursive_mutex mutex;
  std::set<cupti::Kind> enabled;
  cupti::BufferRequested request = nullptr;
  cupti::BufferCompleted complete = nullptr;
  cupti::Callback callback = nullptr;
  void* user = nullptr;
  bool subscribed = false;
  bool tells_profiler = false;
  bool system_threads = false;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0;
  std::size_t valid = 0;
  std::size_t dropped = 0;
  std::uint32_t next_correlation = 1;
  std::uint64_t busy_until = 0;
};

State& state() {
  static State* const one = new State;
  return *one;
}

std::uint64_t wall_time() {
  return static_cast<std::uint64_t>(assay::tracer::wall_clock());
}

// If the script says how time passes: since the program began, and on by a little at every look.
constexpr std::uint64_t kLook = 500;  // ns
const bool scripted_time = std::getenv("FAKE_SCRIPTED_TIME") != nullptr;
std::atomic<std::uint64_t> script_time = wall_time();

std::uint64_t now() {
  return scripted_time ? script_time += kLook : wall_time();
}

std::size_t size_of(cupti::Kind kind) {
  switch (kind) {
    case cupti::Kind::kernel:
      return 216;
    case cupti::Kind::copy:
    case cupti::Kind::peer_copy:
      return 96;
    case cupti::Kind::memset:
      return 88;
    case cupti::Kind::driver_call:
    case cupti::Kind::runtime_call:
      return 40;
    case cupti::Kind::external_correlation:
      return 24;
  }
  return 0;
}

cupti::Kind kind_at(const std::uint8_t* record) {
  cupti::Kind kind{};
  std::memcpy(&kind, record, sizeof kind);
  return kind;
}

void complete_buffer(State& s) {
  if (s.buffer == nullptr) return;
  s.complete(nullptr, 0, std::exchange(s.buffer, nullptr), s.size, std::exchange(s.valid, 0));
}

template <class Record>
void record(State& s, const Record& one) {
  if (!s.enabled.contains(one.kind) || s.request == nullptr) return;
  const std::size_t length = size_of(one.kind);
  if (s.buffer != nullptr && s.valid + length > s.size) complete_buffer(s);
  if (s.buffer == nullptr) {
    std::size_t most = 0;
    s.request(&s.buffer, &s.size, &most);
  }
  if (s.buffer == nullptr) {
    ++s.dropped;
    return;
  }
  std::memset(s.buffer + s.valid, 0xEE, length);
  std::memcpy(s.buffer + s.valid, &one, std::min(sizeof one, length));
  s.valid += length;
}

cupti::CallRecord call(cupti::Kind kind, cupti::CallbackId id, std::uint32_t correlation) {
  const std::uint64_t start = now();
  return {.kind = kind,
          .callback = id,
          .start = start,
          .end = now(),
          .process = static_cast<std::uint32_t>(::getpid()),
          .thread = static_cast<std::uint32_t>(
              state().system_threads ? static_cast<unsigned long>(::gettid()) : ::pthread_self()),
          .correlation = correlation};
}

/// From when to when the device is at it, after what it was given before.
template <class Record>
void put_on_device(State& s, Record& work, std::uint64_t nanoseconds) {
  work.start = std::max(now() + 2000, s.busy_until);
  work.end = work.start + nanoseconds;
  s.busy_until = work.end;
  work.context = 1;
}

}  // namespace

// The driver.

FAKE_EXPORT int cuInit(unsigned /*flags*/) {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* path = std::getenv("CUDA_INJECTION64_PATH");
    void* library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    using Initialize = int (*)();
    if (auto* initialize = reinterpret_cast<Initialize>(::dlsym(library, "InitializeInjection"))) {
      initialize();
    }
  });
  return 0;
}
FAKE_EXPORT int cuDeviceGetCount(int* count) {
  return *count = 1, 0;
}
FAKE_EXPORT int cuDeviceGetName(char* name, int size, int /*device*/) {
  std::snprintf(name, static_cast<std::size_t>(size), "NVIDIA H200");
  return 0;
}
/// FAKE_GPU_UUID is a letter that the id is made of: another letter is another GPU.
FAKE_EXPORT int cuDeviceGetUuid_v2(char* uuid, int /*device*/) {
  const char* letter = std::getenv("FAKE_GPU_UUID");
  std::memset(uuid, letter == nullptr ? 'a' : letter[0], 16);
  return 0;
}
FAKE_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
  return *bytes = std::size_t{141} << 30U, 0;
}
FAKE_EXPORT int cuDeviceGetAttribute(int* value, int which, int /*device*/) {
  constexpr int kMultiprocessors = 16;
  constexpr int kMajor = 75;
  *value = which == kMultiprocessors ? 132 : which == kMajor ? 9 : 0;
  return 0;
}

// What the program asks of the device.

FAKE_EXPORT std::uint32_t fake_launch(const FakeLaunch* launch) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const std::uint32_t correlation =
      launch->correlation != 0 ? launch->correlation : s.next_correlation++;
  if (launch->correlation == 0) {
    record(s, call(cupti::Kind::driver_call, kDriverLaunch, correlation));
    if (!launch->by_driver) {
      record(s, call(cupti::Kind::runtime_call, kRuntimeLaunch, correlation));
    }
  }
  cupti::KernelRecord kernel{.kind = cupti::Kind::kernel,
                             .registers = 40,
                             .stream = launch->stream,
                             .grid_size = {static_cast<std::int32_t>(launch->grid), 1, 1},
                             .block_size = {static_cast<std::int32_t>(launch->block), 1, 1},
                             .correlation = correlation,
                             .name = launch->name,
                             .graph_node = launch->graph_node};
  put_on_device(s, kernel, launch->nanoseconds);
  record(s, kernel);
  return correlation;
}
FAKE_EXPORT void fake_copy(std::uint64_t bytes, std::uint64_t nanoseconds) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const std::uint32_t correlation = s.next_correlation++;
  record(s, call(cupti::Kind::runtime_call, kRuntimeCopy, correlation));
  cupti::CopyRecord copy{.kind = cupti::Kind::copy,
                         .copy_kind = cupti::CopyKind::host_to_device,
                         .source_kind = 1,
                         .destination_kind = 3,
                         .bytes = bytes,
                         .stream = 7,
                         .correlation = correlation};
  put_on_device(s, copy, nanoseconds);
  record(s, copy);
}
FAKE_EXPORT void fake_fill(std::uint64_t bytes, std::uint64_t nanoseconds) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const std::uint32_t correlation = s.next_correlation++;
  record(s, call(cupti::Kind::runtime_call, kRuntimeFill, correlation));
  cupti::MemsetRecord fill{.kind = cupti::Kind::memset,
                           .bytes = bytes,
                           .stream = 7,
                           .correlation = correlation,
                           .memory_kind = 3};
  put_on_device(s, fill, nanoseconds);
  record(s, fill);
}
FAKE_EXPORT void fake_question() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  record(s, call(cupti::Kind::runtime_call, kRuntimeQuestion, s.next_correlation++));
}
FAKE_EXPORT void fake_pass(std::uint64_t nanoseconds) {
  script_time += nanoseconds;
}

FAKE_EXPORT void fake_profiler(int start) {
  State& s = state();
  if (!s.tells_profiler || s.callback == nullptr) return;
  const auto id = start != 0 ? cupti::kRuntimeProfilerStart : cupti::kRuntimeProfilerStop;
  for (const int site : {0, 1}) {
    const cupti::CallbackData data{.site = site};
    s.callback(s.user, cupti::Domain::runtime, id, &data);
  }
}

// CUPTI.

FAKE_EXPORT int cuptiGetVersion(std::uint32_t* version) {
  return *version = 130'001, 0;
}
FAKE_EXPORT int cuptiGetResultString(int /*status*/, const char** text) {
  return *text = "CUPTI_ERROR_FAKE", 0;
}
FAKE_EXPORT int cuptiGetTimestamp(std::uint64_t* time) {
  return *time = now(), 0;
}
FAKE_EXPORT int cuptiSubscribe(cupti::Subscriber* subscriber, cupti::Callback callback,
                               void* user) {
  State& s = state();
  if (s.subscribed || std::getenv("FAKE_CUPTI_TAKEN") != nullptr) {
    return cupti::kMultipleSubscribers;
  }
  s.subscribed = true;
  s.callback = callback;
  s.user = user;
  *subscriber = reinterpret_cast<cupti::Subscriber>(&s);
  return 0;
}
FAKE_EXPORT int cuptiSubscribe_v2(cupti::Subscriber* subscriber, cupti::Callback callback,
                                  void* user, cupti::SubscriberParameters* parameters) {
  const int status = cuptiSubscribe(subscriber, callback, user);
  if (const char* other = std::getenv("FAKE_CUPTI_TAKEN"); status != 0 && other != nullptr) {
    std::snprintf(parameters->other_name, parameters->other_size, "%s", other);
  }
  return status;
}
FAKE_EXPORT int cuptiUnsubscribe(cupti::Subscriber /*subscriber*/) {
  return state().subscribed = false, 0;
}
FAKE_EXPORT int cuptiEnableCallback(std::uint32_t enable, cupti::Subscriber /*subscriber*/,
                                    cupti::Domain domain, cupti::CallbackId id) {
  if (domain == cupti::Domain::runtime && id == cupti::kRuntimeProfilerStart) {
    state().tells_profiler = enable != 0;
  }
  return 0;
}
FAKE_EXPORT int cuptiGetCallbackName(cupti::Domain domain, cupti::CallbackId id,
                                     const char** name) {
  constexpr const char* kRuntime[] = {"cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020",
                                      "cudaMemsetAsync_v3020", "cudaGetDevice_v3020"};
  if (domain == cupti::Domain::driver && id == kDriverLaunch) return *name = "cuLaunchKernel", 0;
  if (domain != cupti::Domain::runtime || id < 1 || id > 4) return cupti::kInvalidParameter;
  return *name = kRuntime[id - 1], 0;
}
FAKE_EXPORT int cuptiSetThreadIdType(int type) {
  return state().system_threads = type == cupti::kSystemThreadIds, 0;
}
FAKE_EXPORT int cuptiActivityRegisterCallbacks(cupti::BufferRequested request,
                                               cupti::BufferCompleted complete) {
  state().request = request;
  state().complete = complete;
  return 0;
}
FAKE_EXPORT int cuptiActivityEnable(cupti::Kind kind) {
  return state().enabled.insert(kind), 0;
}
FAKE_EXPORT int cuptiActivityDisable(cupti::Kind kind) {
  return state().enabled.erase(kind), 0;
}
FAKE_EXPORT int cuptiActivityPushExternalCorrelationId(int /*kind*/, std::uint64_t /*id*/) {
  return 0;
}
FAKE_EXPORT int cuptiActivityPopExternalCorrelationId(int /*kind*/, std::uint64_t* /*last*/) {
  return 0;
}
FAKE_EXPORT int cuptiActivityFlushAll(std::uint32_t /*flag*/) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  complete_buffer(s);
  return 0;
}
FAKE_EXPORT int cuptiActivityGetNumDroppedRecords(void* /*context*/, std::uint32_t /*stream*/,
                                                  std::size_t* dropped) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return *dropped = std::exchange(s.dropped, 0), 0;
}
FAKE_EXPORT int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                           const void** record) {
  const auto* at = static_cast<const std::uint8_t*>(*record);
  at = at == nullptr ? buffer : at + size_of(kind_at(at));
  if (at >= buffer + valid) return cupti::kMaxLimitReached;
  *record = at;
  return 0;
}
