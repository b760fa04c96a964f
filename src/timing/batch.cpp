#include "timing/batch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/device_state.hpp"
#include "model/timing_summary.hpp"
#include "timing/even_out.hpp"
#include "timing/signed_rank.hpp"
#include "timing/statistics.hpp"
#include "timing/usable.hpp"

namespace assay::timing {

double Batch::figure() const {
  return median_of(per_call_ns);
}

Batch make_batch(std::vector<double> per_call_ns, std::chrono::nanoseconds wall,
                 std::optional<DeviceState> state) {
  Batch batch{.per_call_ns = std::move(per_call_ns), .wall = wall, .state = std::move(state)};
  if (batch.state) batch.unused_because = reason_not_to_use(*batch.state);
  return batch;
}

bool use_all_if_most_are_marked(std::span<Batch> batches) {
  const auto used = static_cast<std::size_t>(std::ranges::count_if(batches, &Batch::used));
  if (used * 2 >= batches.size()) return false;
  for (Batch& batch : batches) batch.unused_because.reset();
  return true;
}

CallTime time_of(std::span<const Batch> batches, std::size_t turns) {
  std::vector<double> figures;
  for (const Batch& batch : batches) {
    if (batch.used() && !batch.per_call_ns.empty()) figures.push_back(batch.figure());
  }
  if (figures.empty()) return {};
  const Evened evened = even_out(figures, turns);
  const SignedRank middle(evened.values);
  CallTime time{.ns = middle.estimate(), .interval = middle.interval(0.95)};
  if (time.interval) {
    time.interval->low = time.ns + evened.widen * (time.interval->low - time.ns);
    time.interval->high = time.ns + evened.widen * (time.interval->high - time.ns);
  }
  return time;
}

std::vector<double> used_samples(std::span<const Batch> batches) {
  std::vector<double> samples;
  for (const Batch& batch : batches) {
    if (!batch.used()) continue;
    samples.insert(samples.end(), batch.per_call_ns.begin(), batch.per_call_ns.end());
  }
  return samples;
}

std::vector<BatchSummary> summaries_of(std::span<const Batch> batches) {
  std::vector<BatchSummary> summaries;
  summaries.reserve(batches.size());
  for (const Batch& batch : batches) {
    summaries.push_back({.samples = batch.per_call_ns.size(),
                         .median_ns = batch.figure(),
                         .wall = batch.wall,
                         .unused_because = batch.unused_because,
                         .state = batch.state});
  }
  return summaries;
}

}  // namespace assay::timing
