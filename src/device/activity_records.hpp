#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/cupti_api.hpp"

namespace assay::device {

/// Nanoseconds of the clock that CUPTI puts all its records on.
using TraceTime = std::chrono::nanoseconds;

/// Something the device did: one kernel, copy or memset.
struct DeviceActivity {
  std::uint32_t name = 0;  // index into ActivityRecords::names
  std::uint32_t correlation = 0;
  TraceTime start{};
  TraceTime end{};  // start and end are 0 where CUPTI could not tell
};

/// The records of one trace, as CUPTI gave them.
struct ActivityRecords {
  std::vector<DeviceActivity> activities;
  std::vector<std::string> names;
  /// When the call was made that has this correlation id, on the host.
  std::unordered_map<std::uint32_t, TraceTime> launched;
  /// The mark under which that call was made. Calls of threads without a mark have none.
  std::unordered_map<std::uint32_t, std::uint64_t> marks;
  std::uint64_t unreadable = 0;  // buffers that ended with a record that CUPTI could not give

  /// Adds what stands in a buffer that CUPTI filled.
  void add(std::span<std::uint8_t> buffer, cupti::NextRecord next_record);
  /// Adds one record, which is as long as its kind says.
  void add(const void* record);

 private:
  [[nodiscard]] std::uint32_t name_index(std::string name);
  template <class Record>
  void add_activity(const Record& record, std::string name);
  void add_call(const cupti::CallRecord& record);

  std::unordered_map<std::string, std::uint32_t> name_indices_;
};

}  // namespace assay::device
