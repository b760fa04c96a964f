#include "trace/analysis/training.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/analysis/analysis.hpp"
#include "trace/analysis/iterations.hpp"
#include "trace/analysis/op_class.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

bool says_training(std::string_view name) {
  return glob_match("*backward*", name) || name.starts_with("autograd::engine") ||
         name.starts_with("Optimizer.step");
}

/// Whether the range holds this time, whichever thread it is of.
bool holds(const Trace& trace, std::uint32_t range, std::int64_t start, std::int64_t end) {
  return trace.ranges.start[range] <= start && end <= trace.ranges.end[range];
}

bool trains_in(const Trace& trace, const std::vector<std::uint32_t>& iterations) {
  std::vector<std::uint8_t> says(trace.strings.size(), 2);
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    std::uint8_t& name = says[trace.ranges.name[row]];
    if (name == 2) name = says_training(trace.strings.view(trace.ranges.name[row])) ? 1 : 0;
    if (name == 0) continue;
    const bool inside = std::ranges::any_of(iterations, [&](std::uint32_t iteration) {
      return holds(trace, iteration, trace.ranges.start[row], trace.ranges.end[row]);
    });
    if (inside) return true;
  }
  return false;
}

}  // namespace

std::optional<Passes> training_around(Analysis& analysis, const Passes& forward) {
  const Trace& trace = analysis.trace();
  const auto found = find_iterations(trace, analysis.attribution());
  if (!found || found->name == forward.name) return std::nullopt;
  Passes out{.name = found->name, .chosen = std::vector<std::uint8_t>(trace.ranges.size(), 0)};
  for (const Iteration& one : found->list) {
    if (one.warm_up) continue;
    out.measured.push_back(one.range);
    out.chosen[one.range] = 1;
  }
  const bool around = std::ranges::all_of(out.measured, [&](std::uint32_t iteration) {
    return std::ranges::any_of(forward.measured, [&](std::uint32_t pass) {
      return holds(trace, iteration, trace.ranges.start[pass], trace.ranges.end[pass]);
    });
  });
  if (!around || out.measured.empty() || !trains_in(trace, out.measured)) return std::nullopt;
  return out;
}

}  // namespace assay::trace
