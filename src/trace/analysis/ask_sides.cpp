#include "trace/analysis/ask_sides.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/ask.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/graphs.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/summary.hpp"
#include "trace/analysis/sums.hpp"
#include "trace/analysis/training.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"

namespace assay::trace {
namespace {

using Rows = std::vector<std::uint32_t>;

Side side_of(Analysis& analysis, const Passes& passes, const AskOptions& options) {
  return {.label = passes.name,
          .kernels = analysis.kernels_within(passes.chosen, options.rule, options.naming),
          .full = analysis.kernels_within(passes.chosen, options.rule, KernelNaming::demangled),
          .passes = passes.count(),
          .left_out = passes.left_out +
                      (passes.left_out.empty() || passes.set_aside.empty() ? "" : " ") +
                      passes.set_aside,
          .in_graphs = whole_graph_time(analysis.trace(), analysis.attribution(), passes.chosen,
                                        options.rule),
          .in_no_range = analysis.coverage().without_call.total};
}

/// All of the profile but what ranges that say warm-up hold, if that leaves anything.
Side whole_profile(Analysis& analysis, const AskOptions& options) {
  const Trace& trace = analysis.trace();
  const std::vector<std::uint8_t> warm_up = warm_up_ranges(trace);
  std::vector<std::uint8_t> rest;
  if (std::ranges::find(warm_up, 1) != warm_up.end()) {
    rest = kernels_in(trace, analysis.attribution(), warm_up, options.rule);
  }
  const auto left_out = std::ranges::count_if(rest, [](std::uint8_t byte) { return byte != 0; });
  if (left_out == 0 || left_out == std::ssize(rest)) {
    return {.label = "the whole profile",
            .kernels = analysis.kernel_sums(options.naming),
            .full = analysis.kernel_sums(KernelNaming::demangled),
            .in_graphs = whole_graph_time(trace)};
  }
  for (std::uint8_t& byte : rest) byte = byte == 0 ? 1 : 0;
  return {.label = fmt::format("the whole profile without its warm-up ({} {})", left_out,
                               left_out == 1 ? "launch" : "launches"),
          .kernels = kernel_sums(trace, options.naming, rest),
          .full = kernel_sums(trace, KernelNaming::demangled, rest),
          .in_graphs = whole_graph_time(trace) -
                       whole_graph_time(trace, analysis.attribution(), warm_up, options.rule)};
}

/// Where forward passes were left out as warm-up, the backward passes of the same iterations go
/// too: those before the first forward pass that counts.
void leave_out_earlier(const Trace& trace, const Passes& forward, Passes& backward) {
  if (forward.warm_up.empty() || backward.only_warm_up) return;
  const std::int64_t first = trace.ranges.start[forward.measured.front()];
  const auto earlier = [&](std::uint32_t row) { return trace.ranges.start[row] < first; };
  if (std::ranges::all_of(backward.measured, earlier)) return;
  for (const std::uint32_t row : backward.measured) {
    if (earlier(row)) backward.chosen[row] = 0;
  }
  std::erase_if(backward.measured, earlier);
}

/// Forward passes that a backward pass follows: before each as many as there usually are between
/// two of them, the latest first. What evaluates between steps has none. All of them where there
/// are no more than backward passes.
Rows trained(const Trace& trace, const Rows& forward, const Rows& backward) {
  if (forward.size() <= backward.size()) return forward;
  const auto process_of = [&](std::uint32_t row) {
    return trace.threads[trace.ranges.thread[row]].process;
  };
  std::map<std::uint32_t, Rows> waiting;  // by process
  std::vector<Rows> since;                // for each backward pass, those since the one before
  std::vector<std::int64_t> counts;
  auto next = forward.begin();
  for (const std::uint32_t pass : backward) {
    for (; next != forward.end() && trace.ranges.start[*next] <= trace.ranges.start[pass]; ++next) {
      waiting[process_of(*next)].push_back(*next);
    }
    since.push_back(std::exchange(waiting[process_of(pass)], {}));
    counts.push_back(std::ssize(since.back()));
  }
  const auto usual = std::max(std::int64_t{1}, static_cast<std::int64_t>(summarise(counts).median));
  waiting.clear();
  Rows out;
  for (std::size_t i = 0; i < backward.size(); ++i) {
    Rows& before = waiting[process_of(backward[i])];
    before.insert(before.end(), since[i].begin(), since[i].end());
    for (std::int64_t taken = 0; taken < usual && !before.empty(); ++taken) {
      out.push_back(before.back());
      before.pop_back();
    }
  }
  std::ranges::sort(out);
  return out.empty() ? forward : out;
}

/// Adds the optimizer's steps to what trains: those from the first pass on, or of the warm-up.
void add_optimizer(const Trace& trace, bool warm, Passes& both) {
  const OptimizerSteps steps = find_optimizer_steps(trace);
  const std::vector<std::uint8_t> says_so = warm_up_ranges(trace);
  bool any = false;
  for (const std::uint32_t row : steps.rows) {
    const bool counts = warm ? says_so[row] != 0
                             : says_so[row] == 0 && trace.ranges.start[row] >=
                                                        trace.ranges.start[both.measured.front()];
    if (counts) both.chosen[row] = 1;
    any |= counts;
  }
  if (any) both.name += fmt::format(" + {}", steps.name);
}

}  // namespace

Result<Side> side_of(Analysis& analysis, std::string_view range, const AskOptions& options,
                     std::string_view file) {
  Side side;
  auto passes = find_passes(analysis, options.pass, range);
  if (passes) {
    side = side_of(analysis, *passes, options);
  } else if (range.empty() && options.pass == PassKind::forward) {
    side = whole_profile(analysis, options);
  } else {
    return std::unexpected(std::move(passes).error());
  }
  if (!file.empty()) side.label = fmt::format("{} of {}", side.label, file);
  return side;
}

Result<std::optional<Side>> other_side(Analysis& analysis, const AskOptions& options, Usual usual) {
  if (options.against != nullptr) {
    ASSAY_TRY(Side side, side_of(*options.against, options.against_range, options,
                                 options.against->trace().capture.file));
    return side;
  }
  if (!options.against_range.empty()) {
    ASSAY_TRY(Side side, side_of(analysis, options.against_range, options, ""));
    return side;
  }
  if (options.pass != PassKind::forward) return std::nullopt;
  const auto forward = find_passes(analysis, PassKind::forward, options.range);
  auto backward = find_passes(analysis, PassKind::backward);
  if (!forward) return std::nullopt;
  if (!backward) {
    const auto training = training_around(analysis, *forward);
    if (!training) return std::nullopt;
    return side_of(analysis, *training, options);
  }
  leave_out_earlier(analysis.trace(), *forward, *backward);
  // Where only the warm-up trains, its own forward passes stand beside its backward ones.
  const bool warm = backward->only_warm_up && !forward->warm_up.empty();
  const auto& all = warm ? forward->warm_up : forward->measured;
  const Rows passes = trained(analysis.trace(), all, backward->measured);
  Passes both{.name = fmt::format("{} + {}", forward->name, backward->name),
              .measured = passes,
              .chosen = backward->chosen};
  for (const std::uint32_t row : passes) both.chosen[row] = 1;
  if (usual == Usual::training) add_optimizer(analysis.trace(), warm, both);
  if (warm) both.name += " of the warm-up, which alone has both";
  if (const std::size_t left = all.size() - passes.size(); left > 0) {
    both.name += fmt::format(" (without {} forward {} that no backward pass follows)", left,
                             left == 1 ? "pass" : "passes");
  }
  if (both.chosen == forward->chosen) return std::nullopt;
  Side side = side_of(analysis, both, options);
  if (passes.size() != backward->count()) side.passes = 0;
  return side;
}

}  // namespace assay::trace
