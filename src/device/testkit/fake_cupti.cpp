#include "device/testkit/fake_cupti.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "device/cupti.hpp"
#include "device/cupti_api.hpp"

namespace assay::device {
namespace {

FakeCupti* fake = nullptr;  // the one there is

constexpr cupti::Status kInvalidKind = 21;

/// As tests/support/cupti_layout.cpp holds them against CUPTI's headers.
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

cupti::Status next_record(std::uint8_t* buffer, std::size_t valid, const void** record) {
  const auto* at = static_cast<const std::uint8_t*>(*record);
  at = at == nullptr ? buffer : at + size_of(kind_at(at));
  if (at == buffer + valid) return cupti::kMaxLimitReached;
  if (size_of(kind_at(at)) == 0) return kInvalidKind;
  *record = at;
  return cupti::kSuccess;
}

cupti::Status subscribe(cupti::Subscriber* subscriber, cupti::Callback /*callback*/,
                        void* /*user*/) {
  if (fake->subscribed || !fake->other_profiler.empty()) return cupti::kMultipleSubscribers;
  fake->subscribed = true;
  *subscriber = reinterpret_cast<cupti::Subscriber>(fake);
  return cupti::kSuccess;
}

cupti::Status subscribe_named(cupti::Subscriber* subscriber, cupti::Callback callback, void* user,
                              cupti::SubscriberParameters* parameters) {
  const cupti::Status status = subscribe(subscriber, callback, user);
  if (status != cupti::kSuccess && parameters->size == 32) {
    fake->other_profiler.copy(parameters->other_name, parameters->other_size);
  }
  return status;
}

/// Fills buffers of its client with what waits, one launch after the other, as long as it gets any.
cupti::Status flush(std::uint32_t /*flag*/) {
  while (!fake->waiting.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0;
    std::size_t max_records = 0;
    fake->request(&buffer, &size, &max_records);
    if (buffer == nullptr) break;
    std::size_t valid = 0;
    while (!fake->waiting.empty() && valid + fake->waiting.front().size() <= size) {
      std::ranges::copy(fake->waiting.front(), buffer + valid);
      valid += fake->waiting.front().size();
      fake->waiting.pop_front();
    }
    if (!fake->keeps_buffers) fake->complete(nullptr, 0, buffer, size, valid);
  }
  fake->dropped += fake->waiting.size();
  fake->waiting.clear();
  return cupti::kSuccess;
}

}  // namespace

template <class Record>
void RecordBuffer::append(const Record& record) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(&record);
  bytes_.insert(bytes_.end(), from, from + sizeof record);
  bytes_.resize(bytes_.size() + std::max(size_of(record.kind), sizeof record) - sizeof record,
                0xEE);
}

void RecordBuffer::kernel(const char* name, std::uint32_t correlation, std::uint64_t start,
                          std::uint64_t end) {
  append(cupti::KernelRecord{.kind = cupti::Kind::kernel,
                             .start = start,
                             .end = end,
                             .correlation = correlation,
                             .name = name});
}

void RecordBuffer::copy(cupti::CopyKind kind, std::uint32_t correlation, std::uint64_t start,
                        std::uint64_t end) {
  append(cupti::CopyRecord{.kind = cupti::Kind::copy,
                           .copy_kind = kind,
                           .start = start,
                           .end = end,
                           .correlation = correlation});
}

void RecordBuffer::peer_copy(std::uint32_t correlation, std::uint64_t start, std::uint64_t end) {
  append(cupti::PeerCopyRecord{
      .kind = cupti::Kind::peer_copy, .start = start, .end = end, .correlation = correlation});
}

void RecordBuffer::memset(std::uint32_t correlation, std::uint64_t start, std::uint64_t end) {
  append(cupti::MemsetRecord{
      .kind = cupti::Kind::memset, .start = start, .end = end, .correlation = correlation});
}

void RecordBuffer::call(cupti::Kind kind, std::uint32_t correlation, std::uint64_t start) {
  append(cupti::CallRecord{
      .kind = kind, .start = start, .end = start + 1, .correlation = correlation});
}

void RecordBuffer::mark(std::uint32_t correlation, std::uint64_t mark, int kind) {
  append(cupti::ExternalCorrelationRecord{.kind = cupti::Kind::external_correlation,
                                          .external_kind = kind,
                                          .external_id = mark,
                                          .correlation = correlation});
}

void RecordBuffer::unknown() {
  bytes_.insert(bytes_.end(), 40, 0xEE);
}

FakeCupti::FakeCupti() {
  fake = this;
}

FakeCupti::~FakeCupti() {
  fake = nullptr;
}

Cupti FakeCupti::table() {
  Cupti t{};
  t.version = [](std::uint32_t* version) { return *version = 130'001, cupti::kSuccess; };
  t.result_string = [](cupti::Status, const char** text) {
    return *text = "CUPTI_ERROR_FAKE", cupti::kSuccess;
  };
  t.timestamp = [](std::uint64_t* now) {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    *now = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(since).count() + fake->clock_error);
    return cupti::kSuccess;
  };
  t.subscribe = subscribe;
  t.subscribe_named = subscribe_named;
  t.unsubscribe = [](cupti::Subscriber) { return fake->subscribed = false, cupti::kSuccess; };
  t.register_buffers = [](cupti::BufferRequested requested, cupti::BufferCompleted completed) {
    fake->request = requested;
    fake->complete = completed;
    return cupti::kSuccess;
  };
  t.enable = [](cupti::Kind kind) {
    if (kind == fake->refused_kind) return kInvalidKind;
    fake->enabled.push_back(kind);
    return cupti::kSuccess;
  };
  t.disable = [](cupti::Kind kind) {
    std::erase(fake->enabled, kind);
    return cupti::kSuccess;
  };
  t.push_external_id = [](int, std::uint64_t id) {
    return fake->marks.push_back(id), cupti::kSuccess;
  };
  t.pop_external_id = [](int, std::uint64_t* last) {
    if (fake->marks.empty()) return cupti::kQueueEmpty;
    *last = fake->marks.back();
    fake->marks.pop_back();
    return cupti::kSuccess;
  };
  t.flush = flush;
  t.dropped_records = [](void*, std::uint32_t, std::size_t* dropped) {
    return *dropped = std::exchange(fake->dropped, 0), cupti::kSuccess;
  };
  t.next_record = next_record;
  return t;
}

void FakeCupti::launch(const char* name, std::uint64_t start, std::uint64_t end,
                       bool from_other_thread) {
  if (std::ranges::find(enabled, cupti::Kind::kernel) == enabled.end()) return;
  const std::uint32_t correlation = next_correlation_++;
  RecordBuffer records;
  for (const cupti::Kind kind : {cupti::Kind::driver_call, cupti::Kind::runtime_call}) {
    if (std::ranges::find(enabled, kind) == enabled.end()) continue;
    if (!from_other_thread && !marks.empty()) records.mark(correlation, marks.back());
    std::uint64_t now = 0;
    table().timestamp(&now);
    records.call(kind, correlation, now);
  }
  records.kernel(name, correlation, start, end);
  waiting.push_back(std::move(records.bytes()));
}

}  // namespace assay::device
