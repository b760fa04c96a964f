#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/events/events.hpp"
#include "trace/table.hpp"

namespace assay::trace {

struct Iteration {
  std::uint32_t range = 0;  // row of Trace::ranges
  std::uint64_t kernels = 0;
  std::uint64_t graphs = 0;  // traced whole
  std::int64_t kernel_time = 0;
  std::int64_t gpu_busy = 0;
  std::int64_t gpu_span = 0;  // projected
  bool warm_up = false;
};

struct Iterations {
  std::string name;       // what repeats: "Warm-up Step #"
  std::string chosen;     // how it was chosen, for people
  std::string left_out;   // what was left out as warm-up, as a sentence; empty: nothing
  std::string elsewhere;  // where else the same loop runs, as a sentence; empty: nowhere
  std::vector<Iteration> list;
  Summary duration;  // on the host, warm-up left out
  /// Of its process, what all of them launched. 100 where they were asked for by name.
  double kernel_time_pct = 100;

  /// How many are not warm-up.
  [[nodiscard]] std::uint64_t counted() const { return duration.count; }
  /// Whether all that count launched the same number of kernels.
  [[nodiscard]] bool same_kernels() const;
};

/// The runs through a program's loop. With `text`, they are the ranges it names (see
/// select_ranges). Without it, they are a range of the author's that repeats and launches several
/// kernels each time. It must also hold most of what the GPU does outside warm-up. A range that
/// says step or iteration comes first, then one that says batch. If other ranges beside it do as
/// much as often, or come between its runs and do a good part of the work, it is a stage, not an
/// iteration. If nothing fits, it fails with `not_found` and says what was looked at.
[[nodiscard]] Result<Iterations> find_iterations(const Trace& trace, const Attribution& attribution,
                                                 std::string_view text = {});

/// `iterations`
[[nodiscard]] Table iteration_table(const Trace& trace, const Iterations& iterations);

}  // namespace assay::trace
