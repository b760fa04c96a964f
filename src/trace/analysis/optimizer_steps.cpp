#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/result.hpp"
#include "trace/analysis/loops.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/analysis/range_select.hpp"
#include "trace/analysis/recomputation.hpp"
#include "trace/analysis/warm_up.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {
namespace {

/// Whether most of the rows, which are in order, hold a range of the backward pass: on their
/// thread, or autograd's on another.
bool hold_backward(const Trace& trace, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint8_t> says(trace.strings.size(), 2);
  std::vector<std::uint8_t> holds(rows.size(), 0);
  std::size_t first = 0;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    const std::string_view name = trace.strings.view(trace.ranges.name[row]);
    std::uint8_t& known = says[trace.ranges.name[row]];
    if (known == 2) known = says_backward(name) || name.starts_with("autograd::engine") ? 1 : 0;
    if (known == 0) continue;
    const std::uint32_t thread = trace.ranges.thread[row];
    while (first < rows.size() && trace.ranges.end[rows[first]] < trace.ranges.start[row]) ++first;
    for (std::size_t i = first; i < rows.size(); ++i) {
      if (trace.ranges.start[rows[i]] > trace.ranges.start[row]) break;
      if (trace.ranges.end[rows[i]] < trace.ranges.end[row]) continue;
      const std::uint32_t own = trace.ranges.thread[rows[i]];
      const bool same_process = trace.threads[own].process == trace.threads[thread].process;
      const bool autograds = (trace.ranges.flags[row] & range_automatic) != 0;
      if (own == thread || (autograds && same_process)) holds[i] = 1;
    }
  }
  return static_cast<std::size_t>(std::ranges::count(holds, 1)) * 2 > rows.size();
}

enum class Says : std::uint8_t { unknown, nothing, forward, backward, step };

Says what_says(std::string_view name) {
  if (says_backward(name)) return Says::backward;
  const std::vector<std::string> words = name_words(name);
  for (const std::string& word : words) {
    if (word == "forward" || word == "fwd") return Says::forward;
  }
  const bool step = words == std::vector<std::string>{"step"} || name == "DeepSpeedEngine.step";
  return step ? Says::step : Says::nothing;
}

/// Ranges called step that follow a backward pass on their thread and hold no pass: programs mark
/// forward, backward and step beside each other.
std::vector<std::uint32_t> steps_after_backward(const Trace& trace) {
  std::vector<Says> of_name(trace.strings.size(), Says::unknown);
  std::vector<std::uint32_t> pass(trace.threads.size(), kNone);  // the last that began, by thread
  std::vector<std::uint32_t> step(trace.threads.size(), kNone);
  std::vector<std::uint8_t> follows(trace.ranges.size(), 0);
  const auto ended = [&](std::uint32_t range, std::uint32_t row) {
    return trace.ranges.end[range] <= trace.ranges.start[row];
  };
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if ((trace.ranges.flags[row] & range_automatic) != 0) continue;
    Says& says = of_name[trace.ranges.name[row]];
    if (says == Says::unknown) says = what_says(trace.strings.view(trace.ranges.name[row]));
    std::uint32_t& last = pass[trace.ranges.thread[row]];
    std::uint32_t& open = step[trace.ranges.thread[row]];
    if (says == Says::forward || says == Says::backward) {
      if (open != kNone && !ended(open, row)) follows[open] = 0;
      last = row;
    } else if (says == Says::step && last != kNone && ended(last, row)) {
      follows[row] = of_name[trace.ranges.name[last]] == Says::backward ? 1 : 0;
      open = row;
    }
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    if (follows[row] != 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace

OptimizerSteps find_optimizer_steps(const Trace& trace) {
  constexpr std::array<std::string_view, 3> kOptimizer = {"optimizer", "optimiser", "optim"};
  // Alone or with these, since it is the name of a model too.
  constexpr std::array<std::string_view, 3> kShort = {"opt", "step", "update"};
  // What is done beside a step, or around one.
  constexpr std::array<std::string_view, 13> kBeside = {
      "init", "load",   "save",  "create",   "backward", "bwd",  "forward",
      "fwd",  "before", "after", "callback", "hook",     "hooks"};
  constexpr std::array<std::string_view, 1> kZero = {
      "zero"};  // its gradients; ZeRO is one that steps
  constexpr std::array<std::string_view, 1> kStep = {"step"};
  // With the word step beside them: "AdamW.step".
  constexpr std::array<std::string_view, 8> kKinds = {"adam",    "adamw",     "sgd",  "lamb",
                                                      "adagrad", "adafactor", "lion", "muon"};
  const auto has = [](const std::vector<std::string>& words, const auto& wanted) {
    return std::ranges::any_of(words, [&](const std::string& word) {
      return std::ranges::find(wanted, word) != wanted.end();
    });
  };
  OptimizerSteps out;
  std::map<std::uint32_t, bool> of_name;
  for (std::uint32_t row = 0; row < trace.ranges.size(); ++row) {
    const std::string_view name = trace.strings.view(trace.ranges.name[row]);
    const auto [found, added] = of_name.try_emplace(trace.ranges.name[row], false);
    if (added) {
      const std::vector<std::string> words = name_words(name);
      const bool brief = has(words, std::array<std::string_view, 1>{"opt"}) &&
                         std::ranges::all_of(words, [&](const std::string& word) {
                           return std::ranges::find(kShort, word) != kShort.end();
                         });
      const bool kind = has(words, kKinds) && has(words, kShort);
      const bool beside = has(words, kBeside) || (has(words, kZero) && !has(words, kStep));
      found->second = brief || ((has(words, kOptimizer) || kind) && !beside);
    }
    if (!found->second) continue;
    if (out.name.empty()) out.name = numberless(name);
    out.rows.push_back(row);
  }
  if (!out.rows.empty()) return out;
  out.rows = steps_after_backward(trace);
  if (!out.rows.empty()) {
    out.name = numberless(trace.strings.view(trace.ranges.name[out.rows.front()]));
  }
  return out;
}

Result<OptimizerSteps> steps_of_one_optimizer(const Trace& trace) {
  OptimizerSteps steps = find_optimizer_steps(trace);
  if (steps.rows.empty()) {
    return fail(
        ErrorCode::not_found,
        "The profile has no range that says optimizer. Name the range in which it steps, or "
        "mark it with NVTX.");
  }
  steps.rows = outermost(trace, std::move(steps.rows));
  std::map<std::string, std::size_t> names;
  for (const std::uint32_t row : steps.rows) {
    const std::string_view name = trace.strings.view(trace.ranges.name[row]);
    if (!says_warm_up(name)) ++names[numberless(name)];
  }
  if (names.size() > 1) {
    std::string list;
    for (const auto& [name, count] : names) {
      list += fmt::format("{}'{}' ({} times)", list.empty() ? "" : ", ", name, count);
    }
    return fail(ErrorCode::not_found,
                fmt::format("Several ranges say optimizer: {}. Name the one that you mean.", list));
  }
  const auto same_name = [&](std::uint32_t row) {
    return trace.ranges.name[row] == trace.ranges.name[steps.rows.front()];
  };
  if (std::ranges::all_of(steps.rows, same_name)) {
    steps.name = trace.strings.view(trace.ranges.name[steps.rows.front()]);
  } else if (!names.empty()) {
    steps.name = names.begin()->first;
  }
  if (hold_backward(trace, steps.rows)) {
    return fail(ErrorCode::not_found,
                fmt::format("'{}' holds the backward pass too, as a step with a closure does: how "
                            "long the optimizer itself takes cannot be told. Mark it with NVTX "
                            "inside.",
                            steps.name));
  }
  return steps;
}

}  // namespace assay::trace
