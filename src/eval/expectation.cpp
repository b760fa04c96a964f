#include "eval/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/payload.hpp"
#include "eval/python_contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "judge/sample.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/request.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"

namespace assay::eval {
namespace {

constexpr double kManyTerms = 64;  // below, orders of summation are lost in the tolerance
constexpr double kUnmeasured = 2;  // times the noise, where it was not measured for this answer
/// Of the time that is left. A longer run is made no more often than needed: in float64 it may take
/// fifty times as long, and cannot be stopped.
constexpr int kPartOfTime = 300;
constexpr int kPartOfPrecise = 20;  // of the time that is left, for one run in float64

bool changed_inputs(const Setback& setback) {
  const auto* fate = std::get_if<Fate>(&setback);
  const auto* tampered = fate == nullptr ? nullptr : std::get_if<Tampered>(&fate->verdict);
  return tampered != nullptr && tampered->rule == kInputModified;
}

/// The part of the elements that is not finite.
double infinities_of(const judge::OutputView& view) {
  if (!is_floating(view.dtype)) return 0;
  const auto values = judge::Sample(element_count(view.shape)).of(view);
  const auto count = std::ranges::count_if(values, [](double v) { return !std::isfinite(v); });
  return values.empty() ? 0 : static_cast<double>(count) / static_cast<double>(values.size());
}

bool same_integers(const std::vector<judge::OutputView>& views, std::size_t output,
                   const judge::OutputView& want) {
  if (output >= views.size()) return true;
  return views[output].dtype != want.dtype || tensor::same_bytes(views[output].bytes, want.bytes);
}

/// Uncertainty that leaves enough of the output to tell right from wrong.
double most_noise(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 ? 0.02 : 0.15;
}

bool same_shapes(const Answer& answer, const Answer& other) {
  if (answer.structure != other.structure) return false;
  for (std::size_t i = 0; i < answer.views.size(); ++i) {
    if (answer.views[i].shape != other.views[i].shape) return false;
  }
  return true;
}

/// Whether an output in float64 is another one altogether: the source computes something else then,
/// or its own answer is nothing but rounding.
bool is_unrelated(const Answer& answer, const KeptAnswer& precise) {
  const auto& known = precise.answer().views;  // without inputs that the answer ends with
  for (std::size_t i = 0; i < std::min(answer.views.size(), known.size()); ++i) {
    if (judge::is_unrelated(answer.views[i], known[i])) return true;
  }
  return false;
}

}  // namespace

std::vector<judge::Limit> Expectation::limits() const {
  std::vector<judge::Limit> limits;
  limits.reserve(outputs.size());
  for (const judge::Measured& output : outputs) limits.push_back(output.limit);
  return limits;
}

Attempt<Expectation> Expecting::expect(const RoundInputs& inputs, bool transformed,
                                       const Bounds& bounds) {
  Evidence evidence;
  if (!too_slow_ && (transformed || most_terms() > kManyTerms || !try_precise_)) {
    if (auto done = nudge(inputs, evidence, false, bounds); !done) {
      return std::unexpected(std::move(done).error());
    }
  }
  const auto before = bounds.deadline.remaining();
  if (auto ran = run(inputs, bounds); !ran) return std::unexpected(std::move(ran).error());
  auto answer = pair_.reference()->answer(bounds);
  if (!answer) return std::unexpected(std::move(answer).error());
  KeptAnswer kept(*answer);
  pair_.reference()->release_answer();
  too_slow_ = too_slow_ || (before - bounds.deadline.remaining()) * kPartOfTime > before;
  if (!too_slow_) {
    if (PythonContender* const python = pair_.python_reference();
        python != nullptr &&
        python->may_change_inputs()) {  // and it has: they must be as they were
      if (auto filled = python->fill(inputs, bounds); !filled) {
        return std::unexpected(std::move(filled).error());
      }
    }
    auto precise = precisely(evidence, true, bounds);
    if (!precise) return std::unexpected(std::move(precise).error());
    if (*precise && same_shapes((*precise)->answer(), kept.answer())) {
      evidence.precise = std::move(*precise);
    }
  }
  bool look = false;
  if (!sized_) {
    sized_ = true;
    size_up(tensors(inputs), kept.answer());
    look = (most_terms() > kManyTerms || !try_precise_) && !evidence.nudged;
  }
  if (evidence.precise && !transformed && is_unrelated(kept.answer(), *evidence.precise)) {
    try_precise_ = false;
    evidence.precise.reset();
    evidence.nudged.reset();
    look = true;
  }
  if (look && !too_slow_) {
    if (auto done = nudge(inputs, evidence, true, bounds); !done) {
      return std::unexpected(std::move(done).error());
    }
    if (auto filled = pair_.reference()->fill(inputs, bounds); !filled) {
      return std::unexpected(std::move(filled).error());
    }
  }
  if (evidence.nudged && !same_shapes(evidence.nudged->answer(), kept.answer())) {
    evidence.nudged.reset();
  }
  return measured(std::move(kept), std::move(evidence), transformed);
}

/// How many numbers come into one of the answer, and what they are rounded to before.
void Expecting::size_up(const std::vector<TensorLeaf>& inputs, const Answer& answer) {
  std::size_t largest = 1;
  std::size_t second = 1;
  std::optional<DType> lowest;
  for (const TensorLeaf& leaf : inputs) {
    second = std::max(second, std::min(largest, element_count(leaf.shape)));
    largest = std::max(largest, element_count(leaf.shape));
    if (!is_floating(leaf.dtype)) continue;
    if (!lowest || judge::unit_roundoff(leaf.dtype) > judge::unit_roundoff(*lowest)) {
      lowest = leaf.dtype;
    }
  }
  inputs_precision_ = lowest.value_or(DType::float32);
  for (const auto& view : answer.views) {
    const std::size_t elements = std::clamp<std::size_t>(element_count(view.shape), 1, largest);
    terms_.push_back(static_cast<double>(largest) / static_cast<double>(elements));
    longest_sums_.push_back(
        std::max(terms_.back(), std::sqrt(terms_.back() * static_cast<double>(second))));
  }
}

std::vector<judge::Limit> Expecting::limits_like(const Expectation& known,
                                                 const Answer& answer) const {
  judge::Evidence evidence{.rule = request_.tolerance_rule,
                           .given = request_.tolerance,
                           .allow = allowed(),
                           .precision = inputs_precision_};
  std::vector<judge::Limit> limits;
  for (std::size_t i = 0; i < answer.views.size(); ++i) {
    evidence.terms = terms_of(i);
    auto limit = judge::measure_limit(answer.views[i], i, evidence).limit;
    if (request_.tolerance_rule != ToleranceRule::request && i < known.outputs.size()) {
      limit.tolerance.atol += kUnmeasured * known.outputs[i].noise;
      limit.tolerance.rtol = std::max(limit.tolerance.rtol, known.outputs[i].limit.tolerance.rtol);
      // One step of its dtype: here nobody knows which elements were rounded at an edge.
      limit.tolerance.rtol += 2 * judge::unit_roundoff(answer.views[i].dtype);
    }
    limits.push_back(limit);
  }
  return limits;
}

/// What the request allows, and what torch allows the reference.
Allowed Expecting::allowed() const {
  Allowed allowed = request_.allow;
  const PythonContender* const python = pair_.python_reference();
  allowed.tf32 = allowed.tf32 || (python != nullptr && python->allows_tf32());
  return allowed;
}

/// A reference that works in place shows that inputs may change: then they may for both.
Attempt<void> Expecting::run(const RoundInputs& inputs, const Bounds& bounds) {
  Contender& reference = *pair_.reference();
  if (auto filled = reference.fill(inputs, bounds); !filled) return filled;
  auto ran = pair_.run(reference, bounds);
  if (ran || pair_.python_reference() == nullptr || inputs.given == nullptr ||
      !changed_inputs(ran.error())) {
    return ran;
  }
  for (PythonContender* const contender : {pair_.python_reference(), pair_.python_candidate()}) {
    if (contender != nullptr) contender->allow_input_changes();
  }
  if (auto filled = reference.fill(inputs, bounds); !filled) return filled;
  if (ran = reference.run(bounds); !ran) return ran;
  return judge_inputs_too(bounds);
}

/// What the reference leaves in its inputs is part of its work, also if it returns an answer.
Attempt<void> Expecting::judge_inputs_too(const Bounds& bounds) {
  PythonContender* const reference = pair_.python_reference();
  PythonContender* const candidate = pair_.python_candidate();
  if (candidate == nullptr || candidate->has_contract()) return {};
  auto beside = reference->inputs_beside_answer(bounds);
  if (!beside) return std::unexpected(std::move(beside).error());
  reference->answer_with_inputs(*beside);
  candidate->answer_with_inputs(*beside);
  return {};
}

Attempt<std::optional<KeptAnswer>> Expecting::precisely(Evidence& evidence, bool of_last_run,
                                                        const Bounds& bounds) {
  PythonContender* const python = pair_.python_reference();
  if (python == nullptr || !try_precise_) return std::nullopt;
  const auto before = bounds.deadline.remaining();
  auto answered = python->answer_precisely(of_last_run, bounds);
  if (!answered) return std::unexpected(std::move(answered).error());
  const auto taken = before - bounds.deadline.remaining();
  try_precise_ = answered->has_value() && taken * kPartOfPrecise < before;
  if (!answered->has_value()) return std::nullopt;
  evidence.lowest = (*answered)->lowest;
  KeptAnswer kept((*answered)->answer);
  python->release_answer();
  return kept;
}

/// `of_last_run`: after the run that counts, with what the reference kept before it.
Attempt<void> Expecting::nudge(const RoundInputs& inputs, Evidence& evidence, bool of_last_run,
                               const Bounds& bounds) {
  Contender& reference = *pair_.reference();
  if (auto filled = reference.fill(inputs, bounds); !filled) return filled;
  const auto leaves = tensors(inputs);
  auto contents = reference.contents();
  std::vector<tensor::Bytes> copies;
  copies.reserve(contents.size());
  for (std::size_t i = 0; i < contents.size() && i < leaves.size(); ++i) {
    if (!tensor::is_measure(leaves[i].dtype, leaves[i].shape, contents[i])) continue;
    const auto copy = copies.emplace_back(contents[i]).span();
    tensor::nudge(leaves[i].dtype, inputs.secret + i, copy);
    contents[i] = copy;
  }
  if (copies.empty()) return {};
  if (auto filled = reference.refill(contents, inputs.blank); !filled) return filled;
  auto precise = precisely(evidence, of_last_run, bounds);
  if (!precise) return std::unexpected(std::move(precise).error());
  if (*precise) {
    evidence.nudged = std::move(*precise);
    return {};
  }
  if (PythonContender* const python = pair_.python_reference(); python != nullptr) {
    auto copied = python->answer_of_copy(of_last_run, bounds);
    if (!copied) return std::unexpected(std::move(copied).error());
    if (*copied) evidence.nudged.emplace(**copied);
    return {};
  }
  if (auto ran = reference.run(bounds); !ran) {
    return changed_inputs(ran.error()) ? Attempt<void>{} : ran;
  }
  auto answer = reference.answer(bounds);
  if (!answer) return std::unexpected(std::move(answer).error());
  evidence.nudged.emplace(*answer);
  return {};
}

std::vector<TensorLeaf> Expecting::tensors(const RoundInputs& inputs) const {
  std::vector<TensorLeaf> leaves;
  const auto& contract = request_.reference->io;
  if (!contract) {
    for (const TensorLeaf* leaf : tensors_of(inputs.given->tree)) leaves.push_back(*leaf);
    return leaves;
  }
  for (const Argument& argument : contract->args) {
    const auto* tensor = std::get_if<TensorArg>(&argument.value);
    if (tensor != nullptr) leaves.push_back({.shape = tensor->shape, .dtype = tensor->dtype});
  }
  return leaves;
}

Expectation Expecting::measured(KeptAnswer answer, Evidence evidence, bool transformed) {
  Expectation result{
      .answer = std::move(answer), .precise = std::move(evidence.precise), .outputs = {}};
  judge::Evidence known{
      .rule = request_.tolerance_rule,
      .given = request_.tolerance,
      .allow = allowed(),
      .precision = judge::unit_roundoff(evidence.lowest) > judge::unit_roundoff(inputs_precision_)
                       ? evidence.lowest
                       : inputs_precision_,
      .inputs = inputs_precision_};
  if (result.precise) known.precise = result.precise->answer().views;
  if (evidence.nudged) known.nudged = evidence.nudged->answer().views;
  const bool first = own_sizes_.empty();
  const auto& views = result.answer.answer().views;
  bool any_size = false;
  for (std::size_t i = 0; i < views.size(); ++i) {
    known.terms = terms_of(i);
    if (transformed) known.growth = 1;
    auto limit = judge::measure_limit(views[i], i, known);
    if (transformed && i < own_sizes_.size() && own_sizes_[i] > 0) {
      known.growth = limit.size / own_sizes_[i];
      limit = judge::measure_limit(views[i], i, known);
    }
    const double infinities = infinities_of(views[i]);
    if (first) {
      own_sizes_.push_back(limit.size);
      own_infinities_.push_back(infinities);
    }
    if (is_floating(views[i].dtype)) {
      any_size = any_size || limit.size > 0;
      result.is_stable = result.is_stable && infinities <= own_infinities_[i] &&
                         limit.noise <= most_noise(views[i].dtype) * limit.size;
    } else {
      any_size = any_size || element_count(views[i].shape) > 0;
      result.is_stable = result.is_stable && same_integers(known.precise, i, views[i]) &&
                         same_integers(known.nudged, i, views[i]);
    }
    result.outputs.push_back(limit);
  }
  result.is_stable = result.is_stable && any_size;
  return result;
}

}  // namespace assay::eval
