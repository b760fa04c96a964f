#include "eval/comparing.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "eval/answer.hpp"
#include "eval/expectation.hpp"
#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "judge/parts.hpp"
#include "judge/probes.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"
#include "tensor/distribution.hpp"

namespace assay::eval {
namespace {

/// Whether the reference left it in one of its inputs.
bool is_in_input(const judge::OutputView& view) {
  return view.is_input || view.name.starts_with("inputs[");
}

/// A sentence where what differs is what was left in an input, beside an answer that was returned.
std::string_view about_inputs(const WrongAnswer& wrong, const Answer& answer) {
  if (!wrong.first || answer.tensors.empty()) return {};
  const auto is_returned = [&](std::size_t i) {
    return answer.views[i].name == wrong.first->output;
  };
  if (!wrong.first->output.starts_with("inputs[") ||
      std::ranges::any_of(answer.tensors, is_returned)) {
    return {};
  }
  return ". The reference changes its inputs in place: what it leaves there is compared too";
}

/// A list of thousands of numbers is told by its beginning.
std::string shortened(const std::string& structure) {
  std::size_t end = 200;
  if (structure.size() <= end) return structure;
  while ((static_cast<unsigned char>(structure[end]) & 0xC0U) == 0x80U) --end;  // inside a letter
  return structure.substr(0, end) + "...";
}

std::string structure_reason(const std::string& expected, const std::string& given) {
  const bool lacks_return = given == "None";
  return fmt::format(
      "Structure mismatch: ref={}, custom={}{}", shortened(expected), shortened(given),
      lacks_return ? ". The candidate returned nothing: does it end with `return`?" : "");
}

}  // namespace

std::optional<WrongAnswer> Comparing::compare(const Answer& answer, const Answer& expected,
                                              const Circumstances& at) {
  if (answer.structure != expected.structure) {
    return WrongAnswer{.reason = structure_reason(expected.structure, answer.structure),
                       .rule = "structure",
                       .round = at.round};
  }
  // Before any element is looked at: of an answer that is too large none were fetched.
  if (auto wrong = judge::compare_structure(answer.views, expected.views, at.round)) return wrong;
  if (!answer.has_elements) {
    return WrongAnswer{.reason = "The answer is larger than the reference's was for these inputs",
                       .rule = "structure",
                       .round = at.round};
  }
  if (auto wrong = no_work(answer, expected, at)) return wrong;
  const auto limits = limits_of(expected, at);
  const double before = differences_.used;
  auto wrong = judge::compare_outputs(answer.views, expected.views, limits, at.round, differences_);
  note_used(expected, limits, before, at);
  outcome_.check->max_difference = differences_.max;
  outcome_.check->mean_difference = differences_.mean();
  if (!wrong) return wrong_parts(answer, expected, limits, at);
  if (wrong->rule == "tolerance") wrong->reason += advice(answer, expected, at);
  wrong->reason += about_inputs(*wrong, answer);
  if (!at.distribution.is_own()) {
    wrong->reason +=
        fmt::format(". The inputs of this round: {}", tensor::describe(at.distribution));
  }
  return wrong;
}

bool Comparing::only_overflows(const Answer& answer, const Answer& expected,
                               const Circumstances& at) const {
  if (answer.structure != expected.structure || !answer.has_elements) return false;
  const auto limits = limits_of(expected, at);
  for (std::size_t i = 0; i < answer.views.size(); ++i) {
    if (!judge::agrees_where_finite(answer.views[i], expected.views[i], limits[i])) return false;
  }
  return true;
}

void Comparing::forget(judge::Differences before, std::optional<ToleranceUsed> used) {
  differences_ = std::move(before);
  outcome_.check->max_difference = differences_.max;
  outcome_.check->mean_difference = differences_.mean();
  outcome_.check->tolerance = std::move(used);
}

/// A sentence where an answer would be right one precision lower.
std::string Comparing::advice(const Answer& answer, const Answer& expected,
                              const Circumstances& at) const {
  if (request_.tolerance_rule != ToleranceRule::measured || pair_.reference() == nullptr ||
      &expected != &at.known.answer.answer()) {
    return {};
  }
  std::string_view name;
  for (std::size_t i = 0; i < answer.views.size(); ++i) {
    const auto& measured = at.known.outputs[i];
    if (judge::agrees_throughout(answer.views[i], expected.views[i], measured.limit)) continue;
    const auto lower = judge::next_allowance(measured);
    if (!lower || !judge::agrees_throughout(answer.views[i], expected.views[i], lower->limit)) {
      return {};
    }
    name = lower->name;
  }
  return fmt::format(
      ". A lower precision would explain it; to accept that, use --allow {} (in a request: "
      "\"allow\": [\"{}\"])",
      name, name);
}

/// Answers that are wrong whatever the tolerance.
std::optional<WrongAnswer> Comparing::no_work(const Answer& answer, const Answer& expected,
                                              const Circumstances& at) const {
  if (answer.views.size() != expected.views.size() || pair_.reference() == nullptr) return {};
  for (std::size_t i = 0; i < answer.views.size(); ++i) {
    const auto& got = answer.views[i];
    const auto& want = expected.views[i];
    if (got.shape != want.shape || got.dtype != want.dtype) return {};
    if (got.is_input && !want.is_input) {
      return WrongAnswer{.reason = fmt::format(
                             "'{}' lies in the memory of an input, and the reference's does not: "
                             "return a tensor of its own",
                             got.name),
                         .rule = "alias",
                         .round = at.round};
    }
    const double noise = i < at.known.outputs.size() ? at.known.outputs[i].noise : 0;
    if (auto complaint = judge::constant_complaint(got, want, noise)) {
      return WrongAnswer{.reason = "The answer does not depend on the inputs: " + *complaint,
                         .rule = "constant",
                         .round = at.round};
    }
  }
  return {};
}

bool Comparing::judges_parts(const Answer& expected, const Circumstances& at) const {
  return request_.tolerance_rule == ToleranceRule::measured && pair_.reference() != nullptr &&
         at.distribution.is_own() && !expecting_.allows_less() &&
         at.known.outputs.size() == expected.views.size();
}

judge::Known Comparing::known_of(std::size_t output, const Circumstances& at) const {
  return {.answer = at.known.answer.answer().views[output],
          .precise = at.known.precise->answer().views[output],
          .precision = at.known.outputs[output].precision,
          .terms = expecting_.longest_sum(output)};
}

/// What the tolerance of a whole output does not see. Over the author's own inputs alone: among
/// changed ones there are some that a good algorithm answers less exactly than another, in rows
/// where next to nothing is left.
std::optional<WrongAnswer> Comparing::wrong_parts(const Answer& answer, const Answer& expected,
                                                  const std::vector<judge::Limit>& limits,
                                                  const Circumstances& at) const {
  if (!judges_parts(expected, at) || !at.known.precise) return {};
  for (std::size_t i = 0; i < expected.views.size(); ++i) {
    if (!at.known.outputs[i].has_precise) continue;
    const auto complaint =
        judge::part_complaint(answer.views[i], expected.views[i], limits[i], known_of(i, at));
    if (!complaint) continue;
    return WrongAnswer{.reason = complaint->reason, .rule = complaint->rule, .round = at.round};
  }
  return {};
}

std::optional<WrongAnswer> Comparing::wrong_changes(const Answer& answer, const Answer& expected,
                                                    const std::vector<judge::OutputView>& inputs,
                                                    const Circumstances& at, bool& any) const {
  const auto limits = limits_of(expected, at);
  for (std::size_t i = 0; i < expected.views.size(); ++i) {
    const judge::OutputView& want = expected.views[i];
    const bool has_precise = at.known.precise && at.known.outputs[i].has_precise;
    if (!has_precise && !is_in_input(want)) continue;
    // What is left in an input has no float64 run. But only its change is judged.
    const auto known =
        has_precise ? known_of(i, at) : judge::Known{.answer = want, .precise = want};
    const auto change = judge::small_change(answer.views[i], want, limits[i], known, inputs);
    any = any || change.any;
    if (!change.complaint) continue;
    return WrongAnswer{
        .reason = change.complaint->reason, .rule = change.complaint->rule, .round = at.round};
  }
  return {};
}

std::vector<judge::Limit> Comparing::limits_of(const Answer& expected,
                                               const Circumstances& at) const {
  if (pair_.reference() == nullptr || at.known.outputs.size() != expected.views.size()) {
    Tolerance tolerance = request_.tolerance;
    tolerance.equal_nan = pair_.reference() == nullptr;
    return std::vector<judge::Limit>(expected.views.size(), tolerance);
  }
  if (&expected == &at.known.answer.answer()) return at.known.limits();
  return expecting_.limits_like(at.known, expected);
}

/// Keeps the limit that came nearest to being broken.
void Comparing::note_used(const Answer& expected, const std::vector<judge::Limit>& limits,
                          double before, const Circumstances& at) {
  if (limits.empty() || (outcome_.check->tolerance && differences_.used <= before)) return;
  const std::size_t worst = std::min(differences_.worst, limits.size() - 1);
  ToleranceUsed used{.rule = request_.tolerance_rule,
                     .output = expected.views[worst].name,
                     .atol = limits[worst].tolerance.atol,
                     .rtol = limits[worst].tolerance.rtol,
                     .used = differences_.used};
  if (worst < at.known.outputs.size()) {
    used.noise = at.known.outputs[worst].noise;
    used.with_float64 = at.known.outputs[worst].has_precise;
  }
  outcome_.check->tolerance = std::move(used);
}

WrongAnswer Comparing::explained(WrongAnswer wrong) const {
  if (!pair_.unmatched().empty()) {
    wrong.reason += fmt::format(
        ". Some weights of the candidate are not the reference's. These have no match by name and "
        "shape: {}",
        fmt::join(pair_.unmatched(), ", "));
  }
  return wrong;
}

}  // namespace assay::eval
