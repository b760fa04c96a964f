#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/events.hpp"

namespace assay::trace {

/// Whether a range's name says that what it holds is not to be measured: "Warm-up Step 3".
[[nodiscard]] bool says_warm_up(std::string_view name);

/// A byte per range: nonzero where it, or a range around it on its thread, says warm-up.
[[nodiscard]] std::vector<std::uint8_t> warm_up_ranges(const Trace& trace);

/// Runs of one thing. Those to be measured are kept apart from those before them.
struct MeasuredRuns {
  std::vector<std::uint32_t> measured;  // rows of Trace::ranges
  std::vector<std::uint32_t> warm_up;
  std::string why;  // what the second were told by, as a sentence; empty where there are none
};

/// Leaves out runs that say warm-up. Where none does, it leaves out the first runs that took more
/// than 1.5 times the median: there a program still allocates, loads and compiles. At least half
/// of the runs are kept. `took` is how long each of `rows` took; without it, that is the host's
/// time.
[[nodiscard]] MeasuredRuns without_warm_up(const Trace& trace,
                                           const std::vector<std::uint8_t>& says_so,
                                           const std::vector<std::uint32_t>& rows,
                                           const std::vector<std::int64_t>& took = {});

}  // namespace assay::trace
