#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "device/cuda_api.hpp"
#include "gate/stage.hpp"

namespace assay::gate {

struct RoundPlan {
  std::uint32_t number = 0;  // of the gate: they count up
  std::uint32_t calls = 1;
  bool held = true;     // all is queued before the GPU may begin
  bool events = false;  // the runner's own clock too; it costs time between the calls
};

/// The runner's own account of a round: claims.
struct RoundClaims {
  std::vector<double> event_ns;  // of each call; where events were asked for
  double event_overhead_ns = 0;  // what two events with nothing between them take, taken off above
  std::vector<double> queue_ns;  // host time that queueing each call took
  double launch_ns = 0;          // of one of many launches that do nothing; with the events
};

/// Makes the call and says what it answered with. Not kSuccess ends the round.
using TimedCall =
    std::function<device::cuda::Status(std::uint32_t call, std::vector<OutputPart>& outputs)>;

/// One round on a stream, from the gate to its end. If it fails, it returns what the driver said.
/// The gate may then still be closed.
[[nodiscard]] device::cuda::Status run_round(const Stage& stage, const RoundPlan& plan,
                                             device::cuda::Stream stream, const TimedCall& call,
                                             RoundClaims& claims);

/// How long a caller waits who has nothing queued: from before the call to the stream's end.
[[nodiscard]] device::cuda::Status time_on_host(const device::CudaDriver& driver,
                                                std::uint32_t calls, device::cuda::Stream stream,
                                                const TimedCall& call, std::vector<double>& ns);

}  // namespace assay::gate
