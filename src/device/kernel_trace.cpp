#include "device/kernel_trace.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/activity_buffers.hpp"
#include "device/cupti.hpp"
#include "device/cupti_api.hpp"
#include "device/kernel_times.hpp"

namespace assay::device {
namespace {

/// All calls of the driver and of the runtime, not those alone that put work on the device: CUPTI
/// tells a kernel's mark only through the record of the call that launched it, and with some calls
/// chosen one by one it tells none (seen with CUPTI 13.0 on an H200).
constexpr std::array kKinds = {cupti::Kind::kernel,
                               cupti::Kind::copy,
                               cupti::Kind::peer_copy,
                               cupti::Kind::memset,
                               cupti::Kind::driver_call,
                               cupti::Kind::runtime_call,
                               cupti::Kind::external_correlation};

void lend_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = ActivityBuffers::of_process().lend();
  *size = *buffer == nullptr ? 0 : ActivityBuffers::kSize;
  *max_records = 0;  // as many as fit
}

void take_buffer(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                 std::size_t /*size*/, std::size_t valid) {
  ActivityBuffers::of_process().take_back(buffer, valid);
}

void ignore_callback(void* /*user*/, cupti::Domain /*domain*/, cupti::CallbackId /*id*/,
                     const void* /*data*/) {}

}  // namespace

Result<KernelTrace> KernelTrace::start(const Cupti& cupti, const TraceOptions& options) {
  KernelTrace trace(cupti);
  // The subscription comes first: it alone tells whether somebody else uses CUPTI.
  ASSAY_TRY(trace.subscriber_, subscribe(cupti, ignore_callback, nullptr));
  if (auto done = check_clock(cupti); !done) return std::unexpected(std::move(done).error());
  if (auto done = trace.enable(options); !done) return std::unexpected(std::move(done).error());
  trace.push_mark(kMarkBetweenCalls);
  trace.marked_ = true;
  trace.recording_.traced.begin = trace.now();
  return trace;
}

KernelTrace::KernelTrace(KernelTrace&& other) noexcept
    : cupti_(std::exchange(other.cupti_, nullptr)),
      subscriber_(other.subscriber_),
      kinds_(std::move(other.kinds_)),
      marked_(other.marked_),
      in_call_(other.in_call_),
      recording_(std::move(other.recording_)) {}

KernelTrace::~KernelTrace() {
  if (cupti_ != nullptr) end();
}

Result<void> KernelTrace::enable(const TraceOptions& options) {
  std::size_t of_others = 0;  // reading the counter sets it to 0
  cupti_->dropped_records(nullptr, 0, &of_others);
  ActivityBuffers::of_process().begin(options.max_buffers);
  if (auto done = check(*cupti_, cupti_->register_buffers(lend_buffer, take_buffer),
                        "cuptiActivityRegisterCallbacks");
      !done) {
    return done;
  }
  for (const cupti::Kind kind : kKinds) {
    if (auto done =
            check(*cupti_, cupti_->enable(kind),
                  "cuptiActivityEnable of kind " + std::to_string(std::to_underlying(kind)));
        !done) {
      return done;
    }
    kinds_.push_back(kind);
  }
  return {};
}

TraceTime KernelTrace::now() const {
  std::uint64_t nanoseconds = 0;
  cupti_->timestamp(&nanoseconds);
  return TraceTime(nanoseconds);
}

void KernelTrace::push_mark(std::uint64_t mark) {
  const cupti::Status status = cupti_->push_external_id(cupti::kExternalKind, mark);
  if (status != cupti::kSuccess) ++recording_.losses.misplaced_marks;
}

void KernelTrace::pop_mark(std::uint64_t mark) {
  std::uint64_t popped = ~mark;
  const cupti::Status status = cupti_->pop_external_id(cupti::kExternalKind, &popped);
  if (status != cupti::kSuccess || popped != mark) ++recording_.losses.misplaced_marks;
}

void KernelTrace::begin_call() {
  if (in_call_) end_call();
  in_call_ = true;
  recording_.calls.push_back({.begin = now(), .end = {}});
  push_mark(recording_.calls.size());
}

void KernelTrace::end_call() {
  if (!in_call_) return;
  in_call_ = false;
  pop_mark(recording_.calls.size());
  recording_.calls.back().end = now();
}

KernelRecording KernelTrace::stop() {
  end();
  cupti_ = nullptr;
  return std::move(recording_);
}

void KernelTrace::end() {
  end_call();
  if (std::exchange(marked_, false)) pop_mark(kMarkBetweenCalls);
  for (const cupti::Kind kind : kinds_) cupti_->disable(kind);
  if (!kinds_.empty()) {
    TraceLosses& losses = recording_.losses;
    cupti_->flush(cupti::kFlushForced);
    const ActivityBuffers::Contents contents = ActivityBuffers::of_process().end();
    for (const auto& filled : contents.filled) {
      recording_.records.add(filled.records(), cupti_->next_record);
    }
    std::size_t dropped = 0;
    cupti_->dropped_records(nullptr, 0, &dropped);
    losses.dropped += dropped;
    losses.refused += contents.refused;
    losses.not_returned += contents.not_returned;
    recording_.traced.end = now();
  }
  if (subscriber_ != nullptr) cupti_->unsubscribe(std::exchange(subscriber_, nullptr));
}

}  // namespace assay::device
