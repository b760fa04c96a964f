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
  std::string why;      // what the second were told by, as a sentence; empty where there are none
  bool by_gpu = false;  // they were slow on the GPU, and not on the host
};

/// Takes out of `rows` those that the profile cuts off, if others are left: before their end, or
/// before the kernels that they launched ran. Returns that as a sentence; empty where there are
/// none.
[[nodiscard]] std::string leave_out_cut_off(const Trace& trace, std::vector<std::uint32_t>& rows);

/// Whether a run that the host took long for is slow, if the GPUs did not take long for it.
enum class HostTime : std::uint8_t { counts, ignored };

/// Leaves out runs that say warm-up. Where none does, it leaves out the first runs that took more
/// than 1.5 times the median: there a program still allocates, loads and compiles. At least half
/// of the runs are kept. `on_gpu` is how long the GPUs took for each of `rows`, where that is
/// known: a run that is slow there is slow, however soon the host was through with it.
[[nodiscard]] MeasuredRuns without_warm_up(const Trace& trace,
                                           const std::vector<std::uint8_t>& says_so,
                                           const std::vector<std::uint32_t>& rows,
                                           const std::vector<std::int64_t>& on_gpu = {},
                                           HostTime host = HostTime::counts);

}  // namespace assay::trace
