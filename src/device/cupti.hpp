#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/cupti_api.hpp"

namespace assay::device {

/// The functions of CUPTI that we call, in a table so that tests can stand in for the library.
/// There is no function for CUPTI's clock: setting it a second time spoils later records.
struct Cupti {
  /// Opens CUPTI. It takes the one that this process has loaded, else the file `path` unless it is
  /// empty, else what the linker finds. Fails with `not_found` where there is none.
  [[nodiscard]] static Result<Cupti> open(const std::string& path);

  cupti::Status (*version)(std::uint32_t* version);
  cupti::Status (*result_string)(cupti::Status status, const char** text);
  cupti::Status (*timestamp)(std::uint64_t* nanoseconds);

  cupti::Status (*subscribe)(cupti::Subscriber* subscriber, cupti::Callback callback, void* user);
  cupti::Status (*subscribe_named)(cupti::Subscriber* subscriber, cupti::Callback callback,
                                   void* user,
                                   cupti::SubscriberParameters* parameters);  // null before 13
  cupti::Status (*unsubscribe)(cupti::Subscriber subscriber);
  cupti::Status (*enable_callback)(std::uint32_t enable, cupti::Subscriber subscriber,
                                   cupti::Domain domain, cupti::CallbackId id);
  cupti::Status (*callback_name)(cupti::Domain domain, cupti::CallbackId id, const char** name);

  cupti::Status (*set_thread_id_type)(int type);

  cupti::Status (*register_buffers)(cupti::BufferRequested requested,
                                    cupti::BufferCompleted completed);
  cupti::Status (*enable)(cupti::Kind kind);
  cupti::Status (*disable)(cupti::Kind kind);
  /// One call of the driver or of the runtime, of a kind that is enabled. Null before 12.
  cupti::Status (*enable_driver_call)(cupti::CallbackId id, std::uint8_t enable);
  cupti::Status (*enable_runtime_call)(cupti::CallbackId id, std::uint8_t enable);
  cupti::Status (*push_external_id)(int external_kind, std::uint64_t id);
  cupti::Status (*pop_external_id)(int external_kind, std::uint64_t* last);
  cupti::Status (*flush)(std::uint32_t flag);
  cupti::Status (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped);
  cupti::NextRecord next_record;
};

/// Nothing on success; else "cuptiActivityEnable: CUPTI_ERROR_…" as `unavailable`.
[[nodiscard]] Result<void> check(const Cupti& cupti, cupti::Status status, std::string_view what);

/// Subscribes, which only one client in a process can. Fails with `conflict` where another has it,
/// and names it where CUPTI tells.
[[nodiscard]] Result<cupti::Subscriber> subscribe(const Cupti& cupti, cupti::Callback callback,
                                                  void* user);

/// Fails with `conflict` if another profiler has given CUPTI a clock that does not tell the time.
/// PyTorch's profiler does: its clock counts cycles.
[[nodiscard]] Result<void> check_clock(const Cupti& cupti);

}  // namespace assay::device
