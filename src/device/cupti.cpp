#include "device/cupti.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cupti_api.hpp"
#include "device/dynamic_library.hpp"

namespace assay::device {
namespace {

/// PyTorch comes with its own CUPTI. A second copy in one process would not see that the first
/// one's subscription is taken, so a loaded one goes before all others.
std::vector<std::string> names_to_try(const std::string& path) {
  const std::array<std::string, 2> known = {"libcupti.so.13", "libcupti.so.12"};
  std::vector<std::string> names;
  for (const std::string& name : known) {
    if (is_library_loaded(name)) names.push_back(name);
  }
  if (!path.empty()) names.push_back(path);
  names.insert(names.end(), known.begin(), known.end());
  names.emplace_back("libcupti.so");
  return names;
}

}  // namespace

Result<Cupti> Cupti::open(const std::string& path) {
  Cupti c{};
  const std::array symbols = {
      symbol("cuptiGetVersion", c.version),
      symbol("cuptiGetResultString", c.result_string),
      symbol("cuptiGetTimestamp", c.timestamp),
      symbol("cuptiSubscribe", c.subscribe),
      symbol("cuptiSubscribe_v2", c.subscribe_named, /*optional=*/true),
      symbol("cuptiUnsubscribe", c.unsubscribe),
      symbol("cuptiEnableCallback", c.enable_callback),
      symbol("cuptiGetCallbackName", c.callback_name),
      symbol("cuptiSetThreadIdType", c.set_thread_id_type),
      symbol("cuptiActivityRegisterCallbacks", c.register_buffers),
      symbol("cuptiActivityEnable", c.enable),
      symbol("cuptiActivityDisable", c.disable),
      symbol("cuptiActivityEnableDriverApi", c.enable_driver_call, /*optional=*/true),
      symbol("cuptiActivityEnableRuntimeApi", c.enable_runtime_call, /*optional=*/true),
      symbol("cuptiActivityPushExternalCorrelationId", c.push_external_id),
      symbol("cuptiActivityPopExternalCorrelationId", c.pop_external_id),
      symbol("cuptiActivityFlushAll", c.flush),
      symbol("cuptiActivityGetNumDroppedRecords", c.dropped_records),
      symbol("cuptiActivityGetNextRecord", c.next_record),
  };
  if (auto opened = open_library(names_to_try(path), symbols); !opened) {
    return std::unexpected(std::move(opened).error().while_doing(
        "no CUPTI, which comes with PyTorch for CUDA and with the CUDA toolkit"));
  }
  return c;
}

Result<void> check(const Cupti& cupti, cupti::Status status, std::string_view what) {
  if (status == cupti::kSuccess) return {};
  const char* text = nullptr;
  cupti.result_string(status, &text);
  return fail(ErrorCode::unavailable,
              std::string(what) + ": " +
                  (text == nullptr ? "CUPTI error " + std::to_string(status) : text));
}

Result<cupti::Subscriber> subscribe(const Cupti& cupti, cupti::Callback callback, void* user) {
  std::array<char, 128> other{};
  cupti::Subscriber subscriber = nullptr;
  cupti::Status status = cupti::kSuccess;
  if (cupti.subscribe_named != nullptr) {
    cupti::SubscriberParameters parameters{
        .name = "Assay", .other_name = other.data(), .other_size = other.size() - 1};
    status = cupti.subscribe_named(&subscriber, callback, user, &parameters);
  } else {
    status = cupti.subscribe(&subscriber, callback, user);
  }
  if (status == cupti::kSuccess) return subscriber;
  if (status != cupti::kMultipleSubscribers) {
    return std::unexpected(check(cupti, status, "cuptiSubscribe").error());
  }
  const std::string name = other.data();
  return fail(ErrorCode::conflict, "CUPTI serves one profiler in a process, and another has it" +
                                       (name.empty() ? "" : " (" + name + ")"));
}

Result<void> check_clock(const Cupti& cupti) {
  std::uint64_t now = 0;
  cupti.timestamp(&now);
  const auto host = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const auto apart = std::chrono::abs(std::chrono::nanoseconds(now) - host);
  if (apart < std::chrono::seconds(1)) return {};
  return fail(ErrorCode::conflict,
              "another profiler of this process has set CUPTI's clock: it does not tell the time");
}

}  // namespace assay::device
