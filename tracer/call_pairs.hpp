#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "device/cupti_api.hpp"

namespace assay::tracer {

/// Takes out the driver's half of a call of the runtime. Both halves have one correlation id, and a
/// reader who adds up calls would count the launch twice. The halves may come in two batches, so
/// the driver's calls are held back for one batch.
class CallPairs {
 public:
  /// What can be written now.
  [[nodiscard]] std::vector<device::cupti::CallRecord> sort(
      std::vector<device::cupti::CallRecord> calls);
  /// What is still held back, at the end.
  [[nodiscard]] std::vector<device::cupti::CallRecord> rest() { return sort({}); }

 private:
  std::vector<device::cupti::CallRecord> held_;
  std::unordered_set<std::uint32_t> earlier_;  // the runtime's ids of the batch before
};

}  // namespace assay::tracer
