#include "tracer/call_pairs.hpp"

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "device/cupti_api.hpp"

namespace assay::tracer {

using device::cupti::CallRecord;

std::vector<CallRecord> CallPairs::sort(std::vector<CallRecord> calls) {
  std::unordered_set<std::uint32_t> of_runtime;
  std::vector<CallRecord> out;
  std::vector<CallRecord> of_driver;
  for (const CallRecord& call : calls) {
    if (call.kind == device::cupti::Kind::runtime_call) {
      of_runtime.insert(call.correlation);
      out.push_back(call);
    } else {
      of_driver.push_back(call);
    }
  }
  for (const CallRecord& call : std::exchange(held_, {})) {
    if (!of_runtime.contains(call.correlation)) out.push_back(call);
  }
  for (const CallRecord& call : of_driver) {
    const bool paired =
        of_runtime.contains(call.correlation) || earlier_.contains(call.correlation);
    if (!paired) held_.push_back(call);
  }
  earlier_ = std::move(of_runtime);
  return out;
}

}  // namespace assay::tracer
