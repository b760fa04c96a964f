#include "runner/counted_call.hpp"

#include <utility>

#include "base/result.hpp"
#include "device/cuda_driver.hpp"
#include "device/cupti_profiler.hpp"
#include "device/range_counters.hpp"
#include "model/runner_protocol.hpp"

namespace assay::runner {
namespace {

Result<device::CounterReading> read(const device::CudaDriver& driver, const CountCommand& command,
                                    const device::CounterCall& call) {
  ASSAY_TRY(const auto cupti, device::CuptiProfiler::open(command.cupti));
  return device::read_counters(cupti, driver, command.metrics, call);
}

}  // namespace

Counted count_call(const device::CudaDriver& driver, const CountCommand& command,
                   const device::CounterCall& call) {
  auto reading = read(driver, command, call);
  if (!reading) {
    return {.chip = {}, .passes = 0, .values = {}, .missing = reading.error().message()};
  }
  return {.chip = std::move(reading->chip),
          .passes = reading->passes,
          .values = std::move(reading->values),
          .missing = {}};
}

}  // namespace assay::runner
