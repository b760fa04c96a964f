#include "trace/analysis/passes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/analysis.hpp"
#include "trace/analysis/attribution.hpp"
#include "trace/analysis/loops.hpp"
#include "trace/analysis/pass_candidates.hpp"
#include "trace/analysis/pass_places.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {
namespace {

using Words = std::vector<std::string>;

Passes passes_of(Analysis& analysis, std::string name, std::vector<std::uint32_t> rows) {
  const Trace& trace = analysis.trace();
  std::string set_aside = leave_out_cut_off(trace, rows);
  const std::vector<std::uint8_t> says_so = warm_up_ranges(trace);
  const auto projected = project(trace, analysis.attribution(), RangeRule::both);
  MeasuredRuns runs = without_warm_up(trace, says_so, rows, projected_times(projected, rows));
  Passes out{.name = std::move(name),
             .measured = std::move(runs.measured),
             .warm_up = std::move(runs.warm_up),
             .left_out = std::move(runs.why),
             .warm_up_by_gpu = runs.by_gpu,
             .set_aside = std::move(set_aside),
             .chosen = std::vector<std::uint8_t>(trace.ranges.size(), 0)};
  for (const std::uint32_t row : out.measured) out.chosen[row] = 1;
  out.only_warm_up =
      std::ranges::all_of(rows, [&](std::uint32_t row) { return says_so[row] != 0; });
  return out;
}

Result<Passes> passes_of(Analysis& analysis, const Candidate& candidate) {
  const Trace& trace = analysis.trace();
  std::vector<std::uint32_t> rows = outermost(trace, candidate.rows);
  const std::string unlike =
      in_unlike_places(trace, rows, project(trace, analysis.attribution(), RangeRule::both));
  if (!unlike.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("'{}' runs {}, and takes differently long there: they are different "
                            "passes. Name those that you mean, such as 'NAME > {}' with the range "
                            "around them as NAME.",
                            candidate.shown, unlike, candidate.shown));
  }
  Passes passes = passes_of(analysis, candidate.shown, std::move(rows));
  if (candidate.recomputed == 0) return passes;
  passes.set_aside += fmt::format(
      "{}{} inside the backward pass {} parts of it again, and {} left out.",
      passes.set_aside.empty() ? "" : " ", candidate.recomputed,
      candidate.recomputed == 1 ? "computes" : "compute", candidate.recomputed == 1 ? "is" : "are");
  return passes;
}

/// How often rows lie inside others of their thread. Both are in order of start.
struct Held {
  std::size_t inside = 0;   // rows inside any
  std::size_t holders = 0;  // others that hold more than one
};

Held held_by(const Trace& trace, const std::vector<std::uint32_t>& outers,
             const std::vector<std::uint32_t>& rows) {
  Held held;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> open;  // by thread: which, holding
  std::size_t next = 0;
  for (const std::uint32_t row : rows) {
    while (next < outers.size() && trace.ranges.start[outers[next]] <= trace.ranges.start[row]) {
      if (outers[next] != row) open[trace.ranges.thread[outers[next]]] = {outers[next], 0};
      ++next;
    }
    const auto found = open.find(trace.ranges.thread[row]);
    if (found == open.end()) continue;
    auto& [outer, holding] = found->second;
    if (trace.ranges.end[row] > trace.ranges.end[outer]) continue;
    ++held.inside;
    if (++holding == 2) ++held.holders;
  }
  return held;
}

/// A range of the author's that itself repeats and holds several of the rows each time. An epoch
/// holds several of anything, which says nothing of what they are.
const Loop* held_severally(const Trace& trace, const std::vector<Loop>& loops,
                           const std::vector<std::uint32_t>& rows) {
  const Loop* found = nullptr;
  for (const Loop& loop : loops) {
    if (std::ranges::count(name_words(loop.name), "epoch") > 0) continue;
    const Held held = held_by(trace, loop.rows, rows);
    if (held.holders < 2 || held.inside != rows.size()) continue;
    if (found == nullptr || loop.rows.size() > found->rows.size()) found = &loop;  // the innermost
  }
  return found;
}

/// Loops beside a pass that belong to training, not to the model.
void drop_phases(std::vector<const Loop*>& stages) {
  constexpr std::array<std::string_view, 27> kPhases = {
      "backward", "bwd",      "optimizer", "optim",     "step", "loss",      "zero",
      "grad",     "data",     "loader",    "cache",     "copy", "transfer",  "eval",
      "update",   "sync",     "reduce",    "forward",   "fwd",  "val",       "validate",
      "test",     "gradient", "gradients", "allreduce", "clip", "validation"};
  std::erase_if(stages, [&](const Loop* loop) {
    const Words words = name_words(loop->name);
    return std::ranges::any_of(words, [&](const std::string& word) {
      return std::ranges::find(kPhases, word) != kPhases.end();
    });
  });
}

std::string objection(Analysis& analysis, const Passes& passes, RangeRule rule) {
  const Trace& trace = analysis.trace();
  if (says_layer(passes.name)) return "says that it is of a layer, of which a model has several";
  const auto projected = project(trace, analysis.attribution(), rule);
  const auto loops = find_loops(trace, warm_up_ranges(trace), projected);
  if (held_severally(trace, loops, passes.measured) != nullptr) {
    return "is a part of a pass: another range holds several of it each time";
  }
  for (const Loop& loop : loops) {
    const bool same = loop.rows == passes.measured;
    if (!same) continue;
    auto stages = stages_beside(trace, loop, loops);
    drop_phases(stages);
    if (!stages.empty()) return fmt::format("is one stage beside {}", list_names(stages));
  }
  return {};
}

/// Of several names that say just that: none that another holds several of, and of those the one
/// with the fewest words ("forward" beside "forward step").
const Candidate& surest(const Trace& trace, const Candidates& sure) {
  std::vector<std::pair<const std::string*, std::vector<std::uint32_t>>> rows;
  for (const auto& [key, candidate] : sure)
    rows.emplace_back(&key, outermost(trace, candidate.rows));
  const std::string* best = nullptr;
  for (const auto& [key, own] : rows) {
    const bool part = std::ranges::any_of(rows, [&](const auto& other) {
      const Held held = held_by(trace, other.second, own);
      return other.first != key && held.holders > 0 && held.inside == own.size();
    });
    if (!part && (best == nullptr || key->size() < best->size())) best = key;
  }
  return best == nullptr ? sure.begin()->second : sure.at(*best);
}

/// Other names that say just that, of ranges that neither hold nor lie in those of `best`: passes
/// of something else, such as evaluation.
std::vector<const Candidate*> apart_from(const Trace& trace, const Candidate& best,
                                         const Candidates& sure) {
  std::vector<const Candidate*> out;
  for (const auto& [key, other] : sure) {
    if (&other == &best) continue;
    const bool nests = held_by(trace, best.rows, other.rows).inside > 0 ||
                       held_by(trace, other.rows, best.rows).inside > 0;
    if (!nests) out.push_back(&other);
  }
  return out;
}

/// Whether a name says all that another says, and perhaps more: "eval forward" of "forward".
bool says_more(const Candidate& longer, const Candidate& shorter) {
  const Words words = name_words(longer.shown);
  return std::ranges::all_of(name_words(shorter.shown), [&](const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  });
}

/// What DistributedDataParallel itself marks: one pass of the model that it wraps.
Candidates wrapper_passes(const Trace& trace, PassKind kind) {
  constexpr std::string_view kName = "DistributedDataParallel.forward";
  Candidate found{.shown = std::string(kName)};
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (trace.strings.view(trace.ranges.name[row]) == kName) found.rows.push_back(row);
  }
  if (found.rows.empty() || kind != PassKind::forward) return {};
  return {{std::string(kName), std::move(found)}};
}

/// Calls of modules as PyTorch's profiler records them with stacks. The one that holds the others
/// is the model, and a call of it is a forward pass; a loss beside it takes little.
Candidates module_passes(const Trace& trace, PassKind kind) {
  constexpr std::string_view kModule = "nn.Module: ";
  if (kind != PassKind::forward) return {};
  std::vector<std::int64_t> until(trace.threads.size(), std::numeric_limits<std::int64_t>::min());
  std::map<std::uint32_t, std::pair<std::int64_t, std::vector<std::uint32_t>>> outer;  // by name
  std::int64_t all = 0;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (!trace.strings.view(trace.ranges.name[row]).starts_with(kModule)) continue;
    std::int64_t& end = until[trace.ranges.thread[row]];
    if (trace.ranges.end[row] <= end) continue;
    end = trace.ranges.end[row];
    auto& [time, rows] = outer[trace.ranges.name[row]];
    time += trace.ranges.duration(row);
    all += trace.ranges.duration(row);
    rows.push_back(row);
  }
  for (auto& [name, found] : outer) {
    auto& [time, rows] = found;
    if (time * 5 < all * 4) continue;
    Candidate model{.shown = std::string(trace.strings.view(name)), .rows = std::move(rows)};
    return {{model.shown, std::move(model)}};
  }
  return {};
}

/// Those that occur most, with how often.
std::string list_of(std::vector<const Candidate*> candidates) {
  constexpr std::size_t kShown = 8;
  std::ranges::stable_sort(candidates, std::greater{},
                           [](const Candidate* candidate) { return candidate->rows.size(); });
  std::string list;
  for (std::size_t i = 0; i < std::min(candidates.size(), kShown); ++i) {
    const std::size_t count = candidates[i]->rows.size();
    list += fmt::format("{}'{}' ({} {})", i == 0 ? "" : ", ", candidates[i]->shown, count,
                        count == 1 ? "time" : "times");
  }
  if (candidates.size() > kShown) {
    list += fmt::format(" and {} other names", candidates.size() - kShown);
  }
  return list;
}

Error nothing_fits(PassKind kind, const Candidates& unsure, const std::string& objected) {
  const std::string_view word = kind == PassKind::forward ? "forward" : "backward";
  if (unsure.empty()) {
    return {
        ErrorCode::not_found,
        fmt::format("The profile has no range that says {} and is the pass of a model. Name the "
                    "range that is the {} pass, or mark it with NVTX.",
                    word, word)};
  }
  std::vector<const Candidate*> all;
  for (const auto& [key, candidate] : unsure) all.push_back(&candidate);
  return {
      ErrorCode::not_found,
      fmt::format("No range is known to be the {} pass of the model. Of those that say {}: {}{}. "
                  "Name the range that is the pass, or mark it with NVTX.",
                  word, word, list_of(std::move(all)),
                  objected.empty() ? "; which of them is it cannot be told" : objected)};
}

Error several_fit(PassKind kind, std::vector<const Candidate*> all) {
  return {
      ErrorCode::not_found,
      fmt::format("Several ranges say that they are the {} pass: {}. Name the one that you mean.",
                  kind == PassKind::forward ? "forward" : "backward", list_of(std::move(all)))};
}

Result<Passes> optimizer_passes(Analysis& analysis) {
  ASSAY_TRY(OptimizerSteps steps, steps_of_one_optimizer(analysis.trace()));
  return passes_of(analysis, std::move(steps.name), std::move(steps.rows));
}

/// Whether names that say more are those of most passes: of ids in names, only some are numbers
/// alone.
bool are_the_fewer(const Trace& trace, const Candidate& best, const Candidates& unsure) {
  if (numberless(best.shown).find('#') == std::string::npos) return false;
  std::size_t others = 0;
  for (const Candidate* other : apart_from(trace, best, unsure)) others += other->rows.size();
  return others > best.rows.size();
}

Result<Passes> sure_passes(Analysis& analysis, PassKind kind, const Candidates& sure) {
  const Candidate& best = surest(analysis.trace(), sure);
  Candidates unsure = candidates_of(analysis.trace(), kind, Sureness::begins_or_ends);
  if (are_the_fewer(analysis.trace(), best, unsure)) {
    unsure.insert(sure.begin(), sure.end());
    return std::unexpected(nothing_fits(kind, unsure, ""));
  }
  std::vector<const Candidate*> others = apart_from(analysis.trace(), best, sure);
  const bool plain =
      std::ranges::all_of(others, [&](const Candidate* other) { return says_more(*other, best); });
  if (!plain) {
    others.push_back(&best);
    return std::unexpected(several_fit(kind, std::move(others)));
  }
  ASSAY_TRY(Passes passes, passes_of(analysis, best));
  if (others.empty()) return passes;
  passes.set_aside += fmt::format(
      "{}{} {} so too, and {} left out.", passes.set_aside.empty() ? "" : " ", list_of(others),
      others.size() == 1 ? "says" : "say", others.size() == 1 ? "is" : "are");
  return passes;
}

}  // namespace

Result<Passes> find_passes(Analysis& analysis, PassKind kind, std::string_view asked) {
  const Trace& trace = analysis.trace();
  if (!asked.empty()) {
    ASSAY_TRY(const auto chosen, analysis.ranges_named(asked));
    return passes_of(analysis, std::string(asked), outermost(trace, chosen));
  }
  if (kind == PassKind::optimizer) return optimizer_passes(analysis);
  const Candidates sure = candidates_of(trace, kind, Sureness::says_just_that);
  if (!sure.empty()) return sure_passes(analysis, kind, sure);
  Candidates unsure = candidates_of(trace, kind, Sureness::begins_or_ends);
  if (unsure.empty()) unsure = wrapper_passes(trace, kind);
  if (unsure.empty()) unsure = module_passes(trace, kind);
  if (unsure.size() != 1) return std::unexpected(nothing_fits(kind, unsure, ""));
  const Candidate& only = unsure.begin()->second;
  ASSAY_TRY(Passes passes, passes_of(analysis, only));
  const std::string why = objection(analysis, passes, RangeRule::both);
  if (why.empty()) return passes;
  return std::unexpected(nothing_fits(kind, unsure, fmt::format(", which {}", why)));
}

std::string held_in_loop(Analysis& analysis, const Passes& passes) {
  const Trace& trace = analysis.trace();
  const auto projected = project(trace, analysis.attribution(), RangeRule::both);
  const auto loops = find_loops(trace, warm_up_ranges(trace), projected);
  const Loop* loop = held_severally(trace, loops, passes.measured);
  if (loop == nullptr) return {};
  return fmt::format(
      "'{}' holds {:.1f} of them each time: micro-batches, or parts of the model that each say so.",
      loop->name,
      static_cast<double>(passes.measured.size()) / static_cast<double>(loop->rows.size()));
}

}  // namespace assay::trace
