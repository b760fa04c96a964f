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
  std::int64_t kernel_time = 0;
  std::int64_t gpu_busy = 0;
  std::int64_t gpu_span = 0;  // projected
};

struct Iterations {
  std::string name;    // what repeats: "Warm-up Step #"
  std::string chosen;  // how it was chosen, for people
  std::vector<Iteration> list;
  Summary duration;  // on the host
};

/// The runs through a program's loop. With `text`, the ranges it names (see select_ranges);
/// without, the range of the author's that repeats and takes the most time, names that say step,
/// iteration or batch first. Fails with `not_found` where nothing repeats.
[[nodiscard]] Result<Iterations> find_iterations(const Trace& trace, const Attribution& attribution,
                                                 std::string_view text = {});

/// `iterations`
[[nodiscard]] Table iteration_table(const Trace& trace, const Iterations& iterations);

}  // namespace assay::trace
