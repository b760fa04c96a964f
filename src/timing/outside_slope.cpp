#include "timing/outside_slope.hpp"

#include <optional>
#include <span>
#include <vector>

#include "model/timing_summary.hpp"
#include "timing/statistics.hpp"

namespace assay::timing {

std::optional<CallTime> time_of_call(std::span<const SlopeRound> rounds, const CallTime& scene) {
  std::vector<double> slopes;
  for (const SlopeRound& round : rounds) {
    if (round.many <= round.few) continue;
    slopes.push_back((round.many_ns - round.few_ns) / (round.many - round.few));
  }
  if (slopes.empty()) return std::nullopt;
  const Statistics statistics = statistics_of(slopes);
  CallTime call{.ns = statistics.median - scene.ns, .interval = statistics.median_interval};
  if (!call.interval) return call;
  const Interval taken_off = scene.interval.value_or(Interval{.low = scene.ns, .high = scene.ns});
  call.interval->low -= taken_off.high;
  call.interval->high -= taken_off.low;
  return call;
}

}  // namespace assay::timing
