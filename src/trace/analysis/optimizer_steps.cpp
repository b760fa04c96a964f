#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis/loops.hpp"
#include "trace/analysis/passes.hpp"
#include "trace/events/events.hpp"
#include "trace/events/range_name.hpp"

namespace assay::trace {

OptimizerSteps find_optimizer_steps(const Trace& trace) {
  constexpr std::array<std::string_view, 3> kOptimizer = {"optimizer", "optimiser", "optim"};
  // Alone or with these, since it is the name of a model too.
  constexpr std::array<std::string_view, 3> kShort = {"opt", "step", "update"};
  constexpr std::array<std::string_view, 5> kBeside = {"zero", "init", "load", "save", "create"};
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
      found->second = brief || ((has(words, kOptimizer) || kind) && !has(words, kBeside));
    }
    if (!found->second) continue;
    if (out.name.empty()) out.name = numberless(name);
    out.rows.push_back(row);
  }
  return out;
}

}  // namespace assay::trace
