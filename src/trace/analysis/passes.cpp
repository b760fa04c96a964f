#include "trace/analysis/passes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
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
#include "trace/analysis/pass_places.hpp"
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/recomputation.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {
namespace {

using Words = std::vector<std::string>;

bool is_key(std::string_view word, PassKind kind) {
  return kind == PassKind::forward ? word == "forward" || word == "fwd"
                                   : word == "backward" || word == "bwd";
}

/// Words beside the key that leave a name the name of the whole pass.
bool is_plain(std::string_view word) {
  constexpr std::array<std::string_view, 22> kPlain = {
      "pass",  "step",      "model", "train",     "training", "eval",  "inference", "only",
      "run",   "iter",      "batch", "iteration", "measure",  "timed", "measured",  "phase",
      "stage", "benchmark", "net",   "network",   "the",      "loss"};
  return std::ranges::find(kPlain, word) != kPlain.end();
}

/// Words that make a name that of something around or inside a pass.
bool is_part(std::string_view word) {
  constexpr std::array<std::string_view, 14> kParts = {
      "hook",  "hooks",   "pre",     "post",     "fsdp",   "ddp",    "prefetch",
      "shard", "unshard", "reshard", "autograd", "kernel", "launch", "function"};
  return std::ranges::find(kParts, word) != kParts.end();
}

/// How surely a name is that of the pass: 2 it says just that, 1 it begins or ends with it.
int sureness(std::string_view name, PassKind kind) {
  if (name.find("::") != std::string_view::npos) return 0;
  const Words words = name_words(name);
  const auto key = [&](const std::string& word) { return is_key(word, kind); };
  const PassKind other = kind == PassKind::forward ? PassKind::backward : PassKind::forward;
  if (std::ranges::none_of(words, key)) return 0;
  if (std::ranges::any_of(words, [&](const std::string& w) { return is_key(w, other); })) return 0;
  if (std::ranges::any_of(words, [](const std::string& w) { return is_part(w); })) return 0;
  const bool plain = std::ranges::all_of(words, [&](const std::string& word) {
    return key(word) || is_plain(word) || says_warm_up(word) || word == "warm" || word == "up";
  });
  if (plain) return 2;
  return key(words.front()) || key(words.back()) ? 1 : 0;
}

/// Ranges that may be passes, by what their names say without numbers and warm-up.
struct Candidate {
  std::string shown;                 // the name of most of them
  std::vector<std::uint8_t> chosen;  // a byte per range
  std::size_t count = 0;
  std::size_t recomputed = 0;  // that say so inside the backward pass: not chosen
};

using Candidates = std::map<std::string, Candidate>;  // by their words

std::string words_key(std::string_view name) {
  std::string key;
  for (const std::string& word : name_words(name)) {
    const bool ignored = word == "warmup" || word == "warm" || word == "up" || word == "measure" ||
                         word == "measured" || word == "timed";
    if (!ignored) key += word + " ";
  }
  return key;
}

/// For each wanted sureness, the ranges that have it.
Candidates candidates_of(const Trace& trace, PassKind kind, int wanted) {
  Candidates out;
  const std::vector<std::uint8_t> recomputed =
      kind == PassKind::forward ? find_recomputation(trace).ranges
                                : std::vector<std::uint8_t>(trace.ranges.size(), 0);
  std::map<std::uint32_t, Candidate*> of_name;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if ((trace.ranges.flags[row] & range_automatic) != 0) continue;
    const std::uint32_t id = trace.ranges.name[row];
    const auto [found, added] = of_name.try_emplace(id, nullptr);
    if (added && sureness(trace.strings.view(id), kind) == wanted) {
      Candidate& candidate = out[words_key(trace.strings.view(id))];
      if (candidate.chosen.empty()) {
        candidate.chosen.assign(trace.ranges.size(), 0);
        candidate.shown = numberless(trace.strings.view(id));
      }
      found->second = &candidate;
    }
    if (found->second == nullptr) continue;
    if (recomputed[row] != 0) {
      ++found->second->recomputed;
      continue;
    }
    // What is measured gives the name, where warm-up has one of its own.
    if (found->second->count == 0 ||
        (says_warm_up(found->second->shown) && !says_warm_up(trace.strings.view(id)))) {
      found->second->shown = trace.strings.view(id);
    } else if (found->second->shown != trace.strings.view(id) &&
               !says_warm_up(trace.strings.view(id))) {
      found->second->shown = numberless(trace.strings.view(id));
    }
    found->second->chosen[row] = 1;
    ++found->second->count;
  }
  std::erase_if(out, [](const auto& candidate) { return candidate.second.count == 0; });
  return out;
}

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
  const std::string unlike =
      in_unlike_places(trace, outermost(trace, candidate.chosen),
                       project(trace, analysis.attribution(), RangeRule::both));
  if (!unlike.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("'{}' runs {}, and takes differently long there: they are different "
                            "passes. Name those that you mean, such as 'NAME > {}' with the range "
                            "around them as NAME.",
                            candidate.shown, unlike, candidate.shown));
  }
  Passes passes =
      passes_of(analysis, candidate.shown, outermost(analysis.trace(), candidate.chosen));
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
  constexpr std::array<std::string_view, 23> kPhases = {
      "backward", "bwd",     "optimizer", "optim", "step",     "loss",       "zero",   "grad",
      "data",     "loader",  "cache",     "copy",  "transfer", "eval",       "update", "sync",
      "reduce",   "forward", "fwd",       "val",   "validate", "validation", "test"};
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
    rows.emplace_back(&key, outermost(trace, candidate.chosen));
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

/// What DistributedDataParallel itself marks: one pass of the model that it wraps.
Candidates wrapper_passes(const Trace& trace, PassKind kind) {
  constexpr std::string_view kName = "DistributedDataParallel.forward";
  Candidate found{.shown = std::string(kName),
                  .chosen = std::vector<std::uint8_t>(trace.ranges.size(), 0)};
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (trace.strings.view(trace.ranges.name[row]) != kName) continue;
    found.chosen[row] = 1;
    ++found.count;
  }
  if (found.count == 0 || kind != PassKind::forward) return {};
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
  for (const auto& [name, found] : outer) {
    const auto& [time, rows] = found;
    if (time * 5 < all * 4) continue;
    Candidate model{.shown = std::string(trace.strings.view(name)),
                    .chosen = std::vector<std::uint8_t>(trace.ranges.size(), 0),
                    .count = rows.size()};
    for (const std::uint32_t row : rows) model.chosen[row] = 1;
    return {{model.shown, std::move(model)}};
  }
  return {};
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
  std::string list;
  for (const auto& [key, candidate] : unsure) {
    list += fmt::format("{}'{}' ({} times)", list.empty() ? "" : ", ", candidate.shown,
                        candidate.count);
  }
  return {
      ErrorCode::not_found,
      fmt::format("No range is known to be the {} pass of the model. Of those that say {}: {}{}. "
                  "Name the range that is the pass, or mark it with NVTX.",
                  word, word, list,
                  objected.empty() ? "; which of them is it cannot be told" : objected)};
}

Result<Passes> optimizer_passes(Analysis& analysis) {
  const Trace& trace = analysis.trace();
  const OptimizerSteps steps = find_optimizer_steps(trace);
  if (steps.rows.empty()) {
    return fail(
        ErrorCode::not_found,
        "The profile has no range that says optimizer. Name the range in which it steps, or "
        "mark it with NVTX.");
  }
  std::vector<std::uint8_t> chosen(trace.ranges.size(), 0);
  for (const std::uint32_t row : steps.rows) chosen[row] = 1;
  return passes_of(analysis, steps.name, outermost(trace, chosen));
}

}  // namespace

Result<Passes> find_passes(Analysis& analysis, PassKind kind, std::string_view asked) {
  const Trace& trace = analysis.trace();
  if (!asked.empty()) {
    ASSAY_TRY(const auto chosen, analysis.ranges_named(asked));
    return passes_of(analysis, std::string(asked), outermost(trace, chosen));
  }
  if (kind == PassKind::optimizer) return optimizer_passes(analysis);
  const Candidates sure = candidates_of(trace, kind, 2);
  if (!sure.empty()) return passes_of(analysis, surest(trace, sure));
  Candidates unsure = candidates_of(trace, kind, 1);
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
