#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/cupti.hpp"
#include "device/cupti_api.hpp"

namespace assay::tracer {

/// Records of one moment, as CUPTI gave them.
struct Batch {
  std::vector<device::cupti::KernelRecord> kernels;
  std::vector<device::cupti::CopyRecord> copies;
  std::vector<device::cupti::PeerCopyRecord> peer_copies;
  std::vector<device::cupti::MemsetRecord> fills;
  std::vector<device::cupti::CallRecord> calls;
  std::uint64_t untimed = 0;     // work that CUPTI could not time
  std::uint64_t unreadable = 0;  // buffers that ended with a record that CUPTI could not give

  [[nodiscard]] bool empty() const {
    return kernels.empty() && copies.empty() && peer_copies.empty() && fills.empty() &&
           calls.empty();
  }
  [[nodiscard]] bool has_work() const {
    return !kernels.empty() || !copies.empty() || !peer_copies.empty() || !fills.empty();
  }
};

/// Adds what stands in a buffer that CUPTI filled.
void read_buffer(std::span<std::uint8_t> buffer, device::cupti::NextRecord next_record,
                 Batch& batch);

}  // namespace assay::tracer
