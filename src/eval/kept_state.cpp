#include "eval/kept_state.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "eval/answer.hpp"
#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "model/request.hpp"

namespace assay::eval {
namespace {

constexpr double kAlike = 1e-2;

/// Of a view that answer_of named as an item of a mapping.
std::string_view name_in_model(const judge::OutputView& view) {
  constexpr std::string_view kBefore = "output['";
  constexpr std::string_view kBehind = "']";
  const std::string_view name = view.name;
  return name.substr(kBefore.size(), name.size() - kBefore.size() - kBehind.size());
}

bool agree(const judge::OutputView& got, const judge::OutputView& want) {
  if (got.shape != want.shape || got.dtype != want.dtype) return false;
  const judge::Evidence evidence{.rule = ToleranceRule::compatible,
                                 .given = {.atol = kAlike, .rtol = kAlike}};
  const judge::Limit limit = judge::measure_limit(want, 0, evidence).limit;
  return judge::compare_elements(got, want, limit).mismatches == 0;
}

}  // namespace

std::optional<std::string> state_not_kept(const Answer& reference, const Answer& candidate,
                                          const std::vector<std::string>& unmatched) {
  std::vector<std::string_view> missing;
  for (const judge::OutputView& want : reference.views) {
    const std::string_view name = name_in_model(want);
    const bool is_unmatched = std::ranges::any_of(unmatched, [&](const std::string& other) {
      return other.starts_with(fmt::format("{}:", name));
    });
    if (is_unmatched) continue;
    const auto got = std::ranges::find(candidate.views, want.name, &judge::OutputView::name);
    if (got == candidate.views.end() || !agree(*got, want)) missing.push_back(name);
  }
  if (missing.empty()) return std::nullopt;
  return fmt::format(
      "Calls of the reference change these buffers of its model. After one call the candidate's "
      "are not the same: {}",
      fmt::join(missing, ", "));
}

}  // namespace assay::eval
