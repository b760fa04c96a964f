#include "trace/analysis/pass_candidates.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/loops.hpp"
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
  constexpr std::array<std::string_view, 17> kParts = {
      "hook",     "hooks",    "pre",      "post",    "fsdp",     "ddp",
      "prefetch", "shard",    "unshard",  "reshard", "autograd", "kernel",
      "launch",   "function", "callback", "before",  "after"};
  return std::ranges::find(kParts, word) != kParts.end();
}

Sureness sureness(std::string_view name, PassKind kind) {
  if (name.find("::") != std::string_view::npos) return Sureness::none;
  const Words words = name_words(name);
  const auto key = [&](const std::string& word) { return is_key(word, kind); };
  const PassKind other = kind == PassKind::forward ? PassKind::backward : PassKind::forward;
  if (std::ranges::none_of(words, key)) return Sureness::none;
  if (std::ranges::any_of(words, [&](const std::string& w) { return is_key(w, other); }))
    return Sureness::none;
  if (std::ranges::any_of(words, [](const std::string& w) { return is_part(w); }))
    return Sureness::none;
  const bool plain = std::ranges::all_of(words, [&](const std::string& word) {
    return key(word) || is_plain(word) || says_warm_up(word) || word == "warm" || word == "up";
  });
  if (plain) return Sureness::says_just_that;
  return key(words.front()) || key(words.back()) ? Sureness::begins_or_ends : Sureness::none;
}

std::string words_key(std::string_view name) {
  std::string key;
  for (const std::string& word : name_words(name)) {
    const bool ignored = word == "warmup" || word == "warm" || word == "up" || word == "measure" ||
                         word == "measured" || word == "timed";
    if (!ignored) key += word + " ";
  }
  return key;
}

}  // namespace

Candidates candidates_of(const Trace& trace, PassKind kind, Sureness wanted) {
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
      if (candidate.shown.empty()) candidate.shown = numberless(trace.strings.view(id));
      found->second = &candidate;
    }
    if (found->second == nullptr) continue;
    if (recomputed[row] != 0) {
      ++found->second->recomputed;
      continue;
    }
    // What is measured gives the name, where warm-up has one of its own.
    if (found->second->rows.empty() ||
        (says_warm_up(found->second->shown) && !says_warm_up(trace.strings.view(id)))) {
      found->second->shown = trace.strings.view(id);
    } else if (found->second->shown != trace.strings.view(id) &&
               !says_warm_up(trace.strings.view(id))) {
      found->second->shown = numberless(trace.strings.view(id));
    }
    found->second->rows.push_back(row);
  }
  std::erase_if(out, [](const auto& candidate) { return candidate.second.rows.empty(); });
  return out;
}

}  // namespace assay::trace
