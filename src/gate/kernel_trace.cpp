#include "gate/kernel_trace.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/result.hpp"
#include "device/cuda_api.hpp"
#include "device/cuda_driver.hpp"
#include "device/cupti.hpp"
#include "device/kernel_times.hpp"
#include "device/kernel_trace.hpp"
#include "gate/median.hpp"
#include "gate/round.hpp"
#include "gate/stage.hpp"
#include "model/timing_summary.hpp"

namespace assay::gate {
namespace {

namespace cuda = device::cuda;
using cuda::Status;

double nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count());
}

double middle_of(const device::KernelTimes& times,
                 std::chrono::nanoseconds device::CallKernelTime::* which) {
  std::vector<double> all;
  for (const device::CallKernelTime& call : times.calls) all.push_back(nanoseconds(call.*which));
  return median_of(std::move(all));
}

KernelTime of_one_call(const device::KernelTimes& times) {
  const auto calls = static_cast<double>(times.calls.size());
  KernelTime time{.busy_ns = middle_of(times, &device::CallKernelTime::busy),
                  .span_ns = middle_of(times, &device::CallKernelTime::span),
                  .kernels = {}};
  for (const device::KernelShare& kernel : times.kernels) {
    const double launches = static_cast<double>(kernel.launches) / calls;
    time.kernels.push_back({.name = kernel.name,
                            .launches = static_cast<std::size_t>(std::max(launches + 0.5, 1.0)),
                            .ns = nanoseconds(kernel.total) / calls,
                            .share = kernel.share});
  }
  return time;
}

}  // namespace

Result<KernelTime> trace_round(const Stage& stage, const RoundPlan& plan, cuda::Stream stream,
                               const TimedCall& call) {
  ASSAY_TRY(const device::Cupti cupti, device::Cupti::open(""));
  ASSAY_TRY(device::KernelTrace trace, device::KernelTrace::start(cupti));
  RoundClaims claims;
  Status status = run_round(
      stage, plan, stream,
      [&](std::uint32_t number, std::vector<OutputPart>& outputs) {
        trace.begin_call();
        const Status made = call(number, outputs);
        trace.end_call();
        return made;
      },
      claims);
  // Other streams too: what still runs has no time yet.
  if (status == cuda::kSuccess) status = stage.driver().context_synchronize();
  const device::KernelRecording recording = trace.stop();
  if (auto made = check(stage.driver(), status, "make the traced calls"); !made) {
    return std::unexpected(std::move(made).error());
  }
  ASSAY_TRY(const device::KernelTimes times, device::kernel_times(recording));
  if (times.kernels.empty()) return fail(ErrorCode::not_found, "the call has the GPU do nothing");
  return of_one_call(times);
}

}  // namespace assay::gate
