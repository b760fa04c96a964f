#include "eval/varied_weights.hpp"

#include <string>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/first_of.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"
#include "model/verdict.hpp"

namespace assay::eval {
namespace {

std::string names_of(const VariedWeights& varied) {
  std::vector<std::string> names = varied.of_norms;
  names.insert(names.end(), varied.made.begin(), varied.made.end());
  names.insert(names.end(), varied.others.begin(), varied.others.end());
  return first_of(names);
}

}  // namespace

bool may_come_of_weights(const Outcome& outcome) {
  if (outcome.check && outcome.check->rounds_passed == outcome.check->rounds_total) return false;
  if (const auto* wrong = std::get_if<WrongAnswer>(&outcome.verdict)) {
    return wrong->rule != "structure" && wrong->rule != "returned_object";
  }
  return std::holds_alternative<ReferenceFailed>(outcome.verdict) ||
         std::holds_alternative<NonDeterministic>(outcome.verdict);
}

VariedWeights ignored_beside(VaryWeights vary, const VariedWeights& varied) {
  VariedWeights beside_norms = varied;
  beside_norms.of_norms.clear();
  const bool both = !varied.of_norms.empty() && !beside_norms.empty();
  if (vary == VaryWeights::norms) return both ? beside_norms : VariedWeights{};
  return both ? VariedWeights{.of_norms = varied.of_norms} : varied;
}

bool is_refused(const VariedWeights& ignored, const Request& request) {
  return request.strict || !ignored.of_norms.empty() ||
         (!ignored.made.empty() && ignored.others.empty());
}

void tell_ignored_weights(const VariedWeights& ignored, const std::string& why,
                          const Request& request, Outcome& outcome) {
  std::string told = fmt::format(
      "The answer is right only while these weights are ones and zeros, as in a new model: {}. "
      "With "
      "other weights, the same ones in both models, it is wrong: {}",
      names_of(ignored), why);
  if (is_refused(ignored, request)) {
    outcome.verdict = WrongAnswer{.reason = std::move(told), .rule = "weights"};
  } else {
    outcome.warnings.push_back(
        {.code = "weights_ignored", .message = std::move(told), .passes = {}});
  }
}

}  // namespace assay::eval
