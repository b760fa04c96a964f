#include "tracer/call_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "device/cupti_api.hpp"

namespace assay::tracer {
namespace {

namespace cupti = device::cupti;

// Beginnings of names.
constexpr auto kQuietOfRuntime = std::to_array<std::string_view>({"cudaGet",
                                                                  "cudaSetDevice",
                                                                  "cudaPeek",
                                                                  "cudaDeviceGet",
                                                                  "cudaDeviceCanAccess",
                                                                  "cudaFunc",
                                                                  "cudaOccupancy",
                                                                  "cudaPointerGet",
                                                                  "cudaThreadExchange",
                                                                  "cudaStreamIsCapturing",
                                                                  "cudaStreamGet",
                                                                  "cudaEventQuery",
                                                                  "cudaEventCreate",
                                                                  "cudaEventDestroy",
                                                                  "cudaEventElapsed",
                                                                  "__cudaPush",
                                                                  "__cudaPop",
                                                                  "__cudaRegister",
                                                                  "cudaDriverGetVersion",
                                                                  "cudaRuntimeGetVersion",
                                                                  "cudaMemGetInfo"});
constexpr auto kWantedOfDriver = std::to_array<std::string_view>(
    {"cuLaunch", "cuGraphLaunch", "cuMemcpy", "cuMemset", "cuMemPrefetch", "cuCtxSynchronize",
     "cuStreamSynchronize", "cuStreamWaitEvent", "cuEventSynchronize", "cuModuleLoad",
     "cuLibraryLoad"});

template <class Names>
bool begins_with_one_of(const Names& beginnings, std::string_view name) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

bool is_wanted_of_runtime(std::string_view name) {
  return !begins_with_one_of(kQuietOfRuntime, name);
}

bool is_wanted_of_driver(std::string_view name) {
  return begins_with_one_of(kWantedOfDriver, name);
}

CallNames::Entry CallNames::ask(cupti::Domain domain, cupti::CallbackId id) const {
  const char* name = nullptr;
  if (cupti_.callback_name(domain, id, &name) != cupti::kSuccess || name == nullptr) return {};
  const bool wanted =
      domain == cupti::Domain::driver ? is_wanted_of_driver(name) : is_wanted_of_runtime(name);
  return {.name = name, .wanted = wanted};
}

const CallNames::Entry& CallNames::find(const cupti::CallRecord& call) {
  const auto domain =
      call.kind == cupti::Kind::driver_call ? cupti::Domain::driver : cupti::Domain::runtime;
  const std::uint64_t key =
      (static_cast<std::uint64_t>(std::to_underlying(domain)) << 32U) | call.callback;
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  Entry entry = ask(domain, call.callback);
  if (entry.name.empty()) entry.name = "call " + std::to_string(call.callback);
  return entries_.emplace(key, std::move(entry)).first->second;
}

void CallNames::leave_out(cupti::Domain domain,
                          cupti::Status (*enable)(cupti::CallbackId, std::uint8_t)) {
  constexpr cupti::CallbackId kFarBeyondTheLast = 2000;
  if (enable == nullptr) return;
  for (cupti::CallbackId id = 1; id < kFarBeyondTheLast; ++id) {
    const Entry entry = ask(domain, id);
    if (entry.name.empty()) break;
    if (!entry.wanted) enable(id, 0);  // where it fails, find() still tells
  }
}

void CallNames::leave_out_unwanted() {
  leave_out(cupti::Domain::runtime, cupti_.enable_runtime_call);
  leave_out(cupti::Domain::driver, cupti_.enable_driver_call);
}

}  // namespace assay::tracer
