#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/analysis/op_class.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

/// What communication costs a device: time in which it communicates and computes nothing.
struct DeviceCommunication {
  std::int64_t device = 0;
  std::uint64_t kernels = 0;
  std::int64_t busy = 0;     // some communication kernel ran
  std::int64_t compute = 0;  // some other kernel ran
  std::int64_t overlap = 0;  // both

  [[nodiscard]] std::int64_t exposed() const { return busy - overlap; }
};

/// One kind of collective on one device.
struct Collective {
  std::int64_t device = 0;
  std::string name;  // "AllReduce", or the kernel's name where it tells no operation
  std::uint64_t count = 0;
  std::int64_t total = 0;
  std::int64_t hidden = 0;  // of total, beside other kernels
};

struct Communication {
  std::vector<DeviceCommunication> devices;
  std::vector<Collective> collectives;  // by device, then by falling total
};

/// `classes` as classify_functions gives them.
[[nodiscard]] Communication communication(const Trace& trace,
                                          const std::vector<Classified>& classes);

/// The operation in a communication kernel's name: "AllReduce" of ncclDevKernel_AllReduce_Sum_f32.
[[nodiscard]] std::string collective_name(std::string_view kernel_name);

/// `communication`
[[nodiscard]] Table communication_table(const Communication& found);
/// `collectives`
[[nodiscard]] Table collective_table(const Communication& found);

}  // namespace assay::trace
