#include "trace/analysis/passes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
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
#include "trace/analysis/projection.hpp"
#include "trace/analysis/range_select.hpp"
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
  return out;
}

Passes passes_of(const Trace& trace, std::string name, const std::vector<std::uint32_t>& rows) {
  const std::vector<std::uint8_t> says_so = warm_up_ranges(trace);
  MeasuredRuns runs = without_warm_up(trace, says_so, rows);
  Passes out{.name = std::move(name),
             .measured = std::move(runs.measured),
             .warm_up = std::move(runs.warm_up),
             .left_out = std::move(runs.why),
             .chosen = std::vector<std::uint8_t>(trace.ranges.size(), 0)};
  for (const std::uint32_t row : out.measured) out.chosen[row] = 1;
  out.only_warm_up =
      std::ranges::all_of(rows, [&](std::uint32_t row) { return says_so[row] != 0; });
  return out;
}

/// Whether a range of the author's that itself repeats holds several of the rows each time.
bool held_severally(const Trace& trace, const std::vector<Loop>& loops,
                    const std::vector<std::uint32_t>& rows) {
  for (const Loop& loop : loops) {
    std::size_t inside = 0;
    std::size_t at = 0;
    std::size_t holding = 0;
    for (const std::uint32_t outer : loop.rows) {
      std::size_t here = 0;
      while (at < rows.size() && trace.ranges.start[rows[at]] < trace.ranges.end[outer]) {
        const std::uint32_t row = rows[at];
        const bool in = row != outer && trace.ranges.thread[row] == loop.thread &&
                        trace.ranges.start[row] >= trace.ranges.start[outer] &&
                        trace.ranges.end[row] <= trace.ranges.end[outer];
        here += in ? 1 : 0;
        ++at;
      }
      inside += here;
      holding += here > 1 ? 1 : 0;
    }
    if (holding >= 2 && inside == rows.size()) return true;
  }
  return false;
}

/// Loops beside a pass that belong to training, not to the model.
void drop_phases(std::vector<const Loop*>& stages) {
  constexpr std::array<std::string_view, 19> kPhases = {
      "backward", "bwd",  "optimizer", "optim",   "step", "loss",     "zero",
      "grad",     "data", "loader",    "cache",   "copy", "transfer", "eval",
      "update",   "sync", "reduce",    "forward", "fwd"};
  std::erase_if(stages, [&](const Loop* loop) {
    const Words words = name_words(loop->name);
    return std::ranges::any_of(words, [&](const std::string& word) {
      return std::ranges::find(kPhases, word) != kPhases.end();
    });
  });
}

std::string objection(Analysis& analysis, const Passes& passes, RangeRule rule) {
  const Trace& trace = analysis.trace();
  const auto projected = project(trace, analysis.attribution(), rule);
  const auto loops = find_loops(trace, warm_up_ranges(trace), projected);
  if (held_severally(trace, loops, passes.measured)) {
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

}  // namespace

Result<Passes> find_passes(Analysis& analysis, PassKind kind, std::string_view asked) {
  const Trace& trace = analysis.trace();
  if (!asked.empty()) {
    ASSAY_TRY(const auto chosen, analysis.ranges_named(asked));
    return passes_of(trace, std::string(asked), outermost(trace, chosen));
  }
  Candidates sure = candidates_of(trace, kind, 2);
  if (!sure.empty()) {
    // "forward" beside "forward step": the one with the fewest words.
    const auto shortest =
        std::ranges::min_element(sure, {}, [](const auto& entry) { return entry.first.size(); });
    return passes_of(trace, shortest->second.shown, outermost(trace, shortest->second.chosen));
  }
  const Candidates unsure = candidates_of(trace, kind, 1);
  if (unsure.size() != 1) return std::unexpected(nothing_fits(kind, unsure, ""));
  const Candidate& only = unsure.begin()->second;
  Passes passes = passes_of(trace, only.shown, outermost(trace, only.chosen));
  const std::string why = objection(analysis, passes, RangeRule::both);
  if (why.empty()) return passes;
  return std::unexpected(nothing_fits(kind, unsure, fmt::format(", which {}", why)));
}

}  // namespace assay::trace
