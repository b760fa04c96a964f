#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/projection.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {

/// Ranges of the program's author, begun by one thread, whose names differ in numbers alone.
struct Loop {
  std::string name;  // "step #"
  std::uint32_t thread = 0;
  std::vector<std::uint32_t> rows;  // of Trace::ranges, in order, none inside another
  std::int64_t host_time = 0;
  std::uint64_t kernels = 0;
  std::int64_t kernel_time = 0;  // with graphs that were traced whole
};

/// All loops, without warm-up. What they launched is told by both rules.
[[nodiscard]] std::vector<Loop> find_loops(const Trace& trace,
                                           const std::vector<std::uint8_t>& warm_up,
                                           const std::vector<Projected>& projected);

/// Time of kernels and whole graphs of each process outside warm-up, in the order of
/// Trace::processes. Only those whose launching call is known count.
[[nodiscard]] std::vector<std::int64_t> measured_kernel_time(
    const Trace& trace, const std::vector<Projected>& projected,
    const std::vector<std::uint8_t>& warm_up);

/// Loops beside `loop` on its thread that run as often as it does, and do at least a twentieth of
/// its work; or that run between its runs, and do at least a quarter. If there are some, `loop` is
/// one stage of a pass, not the whole pass.
[[nodiscard]] std::vector<const Loop*> stages_beside(const Trace& trace, const Loop& loop,
                                                     const std::vector<Loop>& loops);

/// "'a', 'b' and 3 others"
[[nodiscard]] std::string list_names(const std::vector<const Loop*>& loops);

/// Lower-case words of a name, of letters alone: "ProfilerStep#3" as profiler and step.
[[nodiscard]] std::vector<std::string> name_words(std::string_view name);

/// Whether a name says that it is of a layer, of which a model has several.
[[nodiscard]] bool says_layer(std::string_view name);

}  // namespace assay::trace
