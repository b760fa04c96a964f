#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "device/cupti.hpp"
#include "device/cupti_api.hpp"

namespace assay::tracer {

/// Whether a call of the runtime is written. Calls that only ask for something are not: frameworks
/// make dozens of them for each kernel.
[[nodiscard]] bool is_wanted_of_runtime(std::string_view name);

/// Whether a call of the driver is written: only what puts work on a device or waits for it.
[[nodiscard]] bool is_wanted_of_driver(std::string_view name);

/// The names of CUDA's calls, and which of them are written.
class CallNames {
 public:
  explicit CallNames(const device::Cupti& cupti) : cupti_(cupti) {}

  struct Entry {
    std::string name;
    bool wanted = true;
  };
  /// The name for a record of the driver or of the runtime.
  [[nodiscard]] const Entry& find(const device::cupti::CallRecord& call);

  /// Makes CUPTI leave out what is not wanted, if it can. That costs the program less.
  void leave_out_unwanted();

 private:
  [[nodiscard]] Entry ask(device::cupti::Domain domain, device::cupti::CallbackId id) const;
  void leave_out(device::cupti::Domain domain,
                 device::cupti::Status (*enable)(device::cupti::CallbackId, std::uint8_t));

  const device::Cupti& cupti_;
  std::unordered_map<std::uint64_t, Entry> entries_;
};

}  // namespace assay::tracer
