#include "tracer/device_source.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "device/cupti.hpp"
#include "device/cupti_api.hpp"
#include "tracer/batch.hpp"
#include "tracer/buffer_pool.hpp"
#include "tracer/clock.hpp"
#include "tracer/find_cupti.hpp"
#include "tracer/gate.hpp"
#include "tracer/settings.hpp"

namespace assay::tracer {
namespace {

namespace cupti = device::cupti;

// CUPTI asks for buffers by functions that take no argument of ours.
std::atomic<BufferPool*> pool = nullptr;

void lend_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  BufferPool* from = pool.load();
  *buffer = from == nullptr ? nullptr : from->lend();
  *size = *buffer == nullptr ? 0 : BufferPool::kSize;
  *max_records = 0;  // as many as fit
}

void take_buffer(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                 std::size_t /*size*/, std::size_t valid) {
  if (BufferPool* to = pool.load()) to->take_back(buffer, valid);
}

struct KindName {
  cupti::Kind kind;
  const char* name;
};
constexpr std::array kKinds = {
    KindName{cupti::Kind::kernel, "kernels"},
    KindName{cupti::Kind::copy, "copies"},
    KindName{cupti::Kind::memset, "memsets"},
    KindName{cupti::Kind::runtime_call, "calls of the runtime"},
    KindName{cupti::Kind::driver_call, "calls of the driver"},
    KindName{cupti::Kind::peer_copy, "copies between GPUs"},
};

std::string where_cupti_is(const Settings& settings) {
  if (!settings.cupti.empty()) return settings.cupti;
  std::ifstream maps("/proc/self/maps");
  const std::string text(std::istreambuf_iterator<char>(maps), {});
  return find_cupti(text);
}

}  // namespace

DeviceSource::DeviceSource(const device::Cupti& cupti, const Settings& settings, Gate& gate)
    : cupti_(cupti), gate_(gate), buffers_(settings.buffer_bytes), names_(cupti_) {}

Result<std::unique_ptr<DeviceSource>> DeviceSource::attach(const Settings& settings, Gate& gate) {
  ASSAY_TRY(const device::Cupti cupti, device::Cupti::open(where_cupti_is(settings)));
  std::unique_ptr<DeviceSource> source(new DeviceSource(cupti, settings, gate));
  if (auto done = source->enable(settings); !done) {
    return std::unexpected(std::move(done).error());
  }
  return source;
}

Result<void> DeviceSource::enable(const Settings& settings) {
  // The subscription comes first: it alone tells whether somebody else uses CUPTI.
  ASSAY_TRY(const cupti::Subscriber subscriber, device::subscribe(cupti_, &on_call, this));
  const auto give_up = [&](Result<void> why) {
    pool = nullptr;
    cupti_.unsubscribe(subscriber);
    return why;
  };
  if (auto done = device::check_clock(cupti_); !done) return give_up(std::move(done));
  // NVTX's ranges carry the kernel's numbers: a call must lie in the ranges of its own thread.
  auto numbered =
      check(cupti_, cupti_.set_thread_id_type(cupti::kSystemThreadIds), "cuptiSetThreadIdType");
  if (!numbered) {
    missing_.push_back("which thread made a call, so that ranges hold no kernels (" +
                       numbered.error().message() + ")");
  }
  pool = &buffers_;
  if (auto done = check(cupti_, cupti_.register_buffers(lend_buffer, take_buffer),
                        "cuptiActivityRegisterCallbacks");
      !done) {
    return give_up(std::move(done));
  }
  for (const KindName& kind : kKinds) {
    auto done = check(cupti_, cupti_.enable(kind.kind), "cuptiActivityEnable");
    if (done) continue;
    if (kind.kind == cupti::Kind::kernel) return give_up(std::move(done));
    missing_.push_back(std::string(kind.name) + " (" + done.error().message() + ")");
  }
  names_.leave_out_unwanted();
  if (settings.profiler_calls) {
    for (const auto id : {cupti::kRuntimeProfilerStart, cupti::kRuntimeProfilerStop}) {
      cupti_.enable_callback(1, subscriber, cupti::Domain::runtime, id);
    }
    for (const auto id : {cupti::kDriverProfilerStart, cupti::kDriverProfilerStop}) {
      cupti_.enable_callback(1, subscriber, cupti::Domain::driver, id);
    }
  }
  return {};
}

void DeviceSource::on_call(void* user, cupti::Domain domain, cupti::CallbackId id,
                           const void* data) {
  auto* source = static_cast<DeviceSource*>(user);
  const bool ends = static_cast<const cupti::CallbackData*>(data)->site != 0;
  const bool runtime = domain == cupti::Domain::runtime;
  const bool start = id == (runtime ? cupti::kRuntimeProfilerStart : cupti::kDriverProfilerStart);
  const bool stop = id == (runtime ? cupti::kRuntimeProfilerStop : cupti::kDriverProfilerStop);
  // Neither call is itself recorded: the gate opens behind the one and closes before the other.
  if (start && ends) source->gate_.profiler_called(true, source->now());
  if (stop && !ends) source->gate_.profiler_called(false, source->now());
}

Batch DeviceSource::take(bool last) {
  cupti_.flush(last ? cupti::kFlushForced : cupti::kFlushCompleted);
  std::size_t dropped = 0;
  if (cupti_.dropped_records(nullptr, 0, &dropped) == cupti::kSuccess) dropped_ += dropped;
  Batch batch;
  auto filled = buffers_.filled();
  for (const BufferPool::Filled& one : filled) {
    read_buffer(one.records(), cupti_.next_record, batch);
  }
  buffers_.emptied(std::move(filled));
  return batch;
}

std::int64_t DeviceSource::now() const {
  std::uint64_t time = 0;
  if (cupti_.timestamp(&time) != cupti::kSuccess) return wall_clock();
  return static_cast<std::int64_t>(time);
}

std::string DeviceSource::version() const {
  std::uint32_t number = 0;
  cupti_.version(&number);
  return std::to_string(number);
}

}  // namespace assay::tracer
