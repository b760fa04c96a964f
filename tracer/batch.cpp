#include "tracer/batch.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "device/cupti_api.hpp"

namespace assay::tracer {
namespace {

namespace cupti = device::cupti;

template <class Record>
Record read(const void* record) {
  Record copy;
  std::memcpy(&copy, record, sizeof copy);
  return copy;
}

template <class Record>
void add_work(const void* record, std::vector<Record>& to, Batch& batch) {
  const auto work = read<Record>(record);
  if (work.start == 0 || work.end < work.start) {
    ++batch.untimed;
  } else {
    to.push_back(work);
  }
}

void add(const void* record, Batch& batch) {
  switch (read<cupti::Kind>(record)) {
    case cupti::Kind::kernel:
      return add_work(record, batch.kernels, batch);
    case cupti::Kind::copy:
      return add_work(record, batch.copies, batch);
    case cupti::Kind::peer_copy:
      return add_work(record, batch.peer_copies, batch);
    case cupti::Kind::memset:
      return add_work(record, batch.fills, batch);
    case cupti::Kind::driver_call:
    case cupti::Kind::runtime_call:
      return batch.calls.push_back(read<cupti::CallRecord>(record));
    case cupti::Kind::external_correlation:
      break;
  }
}

}  // namespace

void read_buffer(std::span<std::uint8_t> buffer, cupti::NextRecord next_record, Batch& batch) {
  if (buffer.empty()) return;
  const void* record = nullptr;
  cupti::Status status = cupti::kSuccess;
  while ((status = next_record(buffer.data(), buffer.size(), &record)) == cupti::kSuccess) {
    add(record, batch);
  }
  if (status != cupti::kMaxLimitReached) ++batch.unreadable;
}

}  // namespace assay::tracer
