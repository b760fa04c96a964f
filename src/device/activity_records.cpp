#include "device/activity_records.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "device/cupti_api.hpp"

namespace assay::device {
namespace {

template <class Record>
Record read(const void* record) {
  Record copy;
  std::memcpy(&copy, record, sizeof copy);
  return copy;
}

std::string copy_name(cupti::CopyKind kind) {
  switch (kind) {
    case cupti::CopyKind::host_to_device:
      return "[copy host to device]";
    case cupti::CopyKind::device_to_host:
      return "[copy device to host]";
    case cupti::CopyKind::device_to_device:
      return "[copy on device]";
    case cupti::CopyKind::peer:
      return "[copy between devices]";
    case cupti::CopyKind::host_to_host:
      break;
  }
  return "[copy]";
}

}  // namespace

std::uint32_t ActivityRecords::name_index(std::string name) {
  const auto [found, is_new] =
      name_indices_.try_emplace(std::move(name), static_cast<std::uint32_t>(names.size()));
  if (is_new) names.push_back(found->first);
  return found->second;
}

template <class Record>
void ActivityRecords::add_activity(const Record& record, std::string name) {
  activities.push_back({.name = name_index(std::move(name)),
                        .correlation = record.correlation,
                        .start = TraceTime(record.start),
                        .end = TraceTime(record.end)});
}

void ActivityRecords::add_call(const cupti::CallRecord& record) {
  // The runtime calls the driver under its own correlation id: the outer call began first.
  const auto [found, is_new] = launched.try_emplace(record.correlation, TraceTime(record.start));
  if (!is_new) found->second = std::min(found->second, TraceTime(record.start));
}

void ActivityRecords::add(const void* record) {
  switch (read<cupti::Kind>(record)) {
    case cupti::Kind::kernel: {
      const auto kernel = read<cupti::KernelRecord>(record);
      add_activity(kernel, kernel.name == nullptr ? "[kernel without a name]" : kernel.name);
      break;
    }
    case cupti::Kind::copy: {
      const auto copy = read<cupti::CopyRecord>(record);
      if (copy.copy_kind == cupti::CopyKind::host_to_host) break;  // the processor's work
      add_activity(copy, copy_name(copy.copy_kind));
      break;
    }
    case cupti::Kind::peer_copy:
      add_activity(read<cupti::PeerCopyRecord>(record), copy_name(cupti::CopyKind::peer));
      break;
    case cupti::Kind::memset:
      add_activity(read<cupti::MemsetRecord>(record), "[memset]");
      break;
    case cupti::Kind::driver_call:
    case cupti::Kind::runtime_call:
      add_call(read<cupti::CallRecord>(record));
      break;
    case cupti::Kind::external_correlation: {
      const auto mark = read<cupti::ExternalCorrelationRecord>(record);
      if (mark.external_kind == cupti::kExternalKind) marks[mark.correlation] = mark.external_id;
      break;
    }
  }
}

void ActivityRecords::add(std::span<std::uint8_t> buffer, cupti::NextRecord next_record) {
  if (buffer.empty()) return;
  const void* record = nullptr;
  cupti::Status status = cupti::kSuccess;
  while ((status = next_record(buffer.data(), buffer.size(), &record)) == cupti::kSuccess) {
    add(record);
  }
  if (status != cupti::kMaxLimitReached) ++unreadable;
}

}  // namespace assay::device
