#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cupti.hpp"
#include "device/cupti_api.hpp"
#include "tracer/batch.hpp"
#include "tracer/buffer_pool.hpp"
#include "tracer/call_names.hpp"
#include "tracer/gate.hpp"
#include "tracer/settings.hpp"

namespace assay::tracer {

/// What GPUs did for this process, and which calls made them do it, as CUPTI records it. There is
/// one in a process, and it is never destroyed: CUPTI's threads may come back to it at any time.
class DeviceSource {
 public:
  /// Fails with `not_found` where there is no CUPTI, and with `conflict` where another profiler of
  /// this process has it.
  [[nodiscard]] static Result<std::unique_ptr<DeviceSource>> attach(const Settings& settings,
                                                                    Gate& gate);

  /// All records that came since the last call. `last` asks for unfinished ones too.
  [[nodiscard]] Batch take(bool last);
  [[nodiscard]] CallNames& names() { return names_; }
  [[nodiscard]] std::int64_t now() const;

  /// Too much waits to be written: do not wait for the next period.
  [[nodiscard]] bool is_pressed() { return buffers_.is_pressed(); }
  /// Records that CUPTI had no room for. A buffer is refused if too many wait to be written.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t refused() { return buffers_.refused(); }
  /// Kinds of records that this CUPTI does not give, in words.
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  [[nodiscard]] std::string version() const;

 private:
  DeviceSource(const device::Cupti& cupti, const Settings& settings, Gate& gate);

  [[nodiscard]] Result<void> enable(const Settings& settings);
  static void on_call(void* user, device::cupti::Domain domain, device::cupti::CallbackId id,
                      const void* data);

  device::Cupti cupti_;
  Gate& gate_;
  BufferPool buffers_;
  CallNames names_;
  std::uint64_t dropped_ = 0;
  std::vector<std::string> missing_;
};

}  // namespace assay::tracer
