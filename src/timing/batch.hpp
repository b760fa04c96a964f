#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/device_state.hpp"
#include "model/timing_summary.hpp"

namespace assay::timing {

/// Calls of one kernel that were timed together, without the other kernel in between.
struct Batch {
  std::vector<double> per_call_ns;     // in the order taken
  std::chrono::nanoseconds wall{};     // of the whole batch, by the worker's clock
  std::optional<DeviceState> state{};  // of a GPU while it ran
  /// Why its times are kept but not used; nothing where they are.
  std::optional<std::string> unused_because{};

  [[nodiscard]] bool used() const { return !unused_because; }
  /// What the batch says of the kernel: the median, because one call may be interrupted. 0 for an
  /// empty batch.
  [[nodiscard]] double figure() const;
};

/// A batch that is marked unused where its state says so.
[[nodiscard]] Batch make_batch(std::vector<double> per_call_ns, std::chrono::nanoseconds wall,
                               std::optional<DeviceState> state = std::nullopt);

/// Uses all batches after all if the marks leave fewer than half: a kernel that always drives the
/// device to its limits has no other times. The reasons stay in `state`. True if it did.
bool use_all_if_most_are_marked(std::span<Batch> batches);

/// What one call takes, from all batches that are used. It is the middle of their figures by pairs
/// (timing/signed_rank.hpp), with its interval. Batches may come in turns (timing/even_out.hpp).
[[nodiscard]] CallTime time_of(std::span<const Batch> batches, std::size_t turns = 1);

/// The times of the batches that are used, in the order taken.
[[nodiscard]] std::vector<double> used_samples(std::span<const Batch> batches);

/// As the result shows them.
[[nodiscard]] std::vector<BatchSummary> summaries_of(std::span<const Batch> batches);

}  // namespace assay::timing
