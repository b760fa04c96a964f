#include "eval/edges.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <random>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "eval/answer.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "judge/limit.hpp"
#include "judge/mismatches.hpp"
#include "judge/probes.hpp"
#include "judge/ties.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"
#include "tensor/distribution.hpp"

namespace assay::eval {
namespace {

constexpr int kRuns = 32;
constexpr std::chrono::seconds kLongestShaking{5};
constexpr std::size_t kMostShaken = std::size_t{64} << 20U;  // bytes of a tensor; others are nudged
constexpr double kPartOfHonest = 0.125;  // of what honest answers differ by, for inputs
constexpr std::uint64_t kFew = 8;        // wrong elements, in a small answer
constexpr std::uint64_t kOneIn = 16;     // of a large one: one edge may move a whole row
constexpr std::uint64_t kMost = 16384;   // each is looked at after every run

/// One element of an output that is wrong.
struct Place {
  std::size_t output;
  std::size_t element;
};

/// By a bit at first, then by more and more: how far sums are off depends on how long they are.
double part_of_run(DType dtype, int run) {
  const double least = judge::unit_roundoff(dtype);
  const double most = std::max(least, kPartOfHonest * judge::honest_difference(dtype));
  return least * std::pow(most / least, static_cast<double>(run) / (kRuns - 1));
}

/// The shape of an answer may depend on the inputs.
bool are_alike(const std::vector<judge::OutputView>& some,
               const std::vector<judge::OutputView>& others) {
  return std::ranges::equal(some, others, [](const auto& one, const auto& other) {
    return one.shape == other.shape && one.dtype == other.dtype;
  });
}

}  // namespace

Attempt<bool> Edges::are_ties(const Answer& got, const Answer& want,
                              const std::vector<judge::Limit>& limits, const Fill& fill,
                              const Bounds& bounds) {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < got.views.size(); ++i) {
    const auto& view = got.views[i];
    if (view.is_untouched && want.views[i].is_untouched) continue;
    if (judge::agrees_throughout(view, want.views[i], limits[i])) continue;
    if (is_floating(view.dtype)) return false;
    differing.push_back(i);
  }
  if (differing.empty()) return false;
  if (auto filled = fill(); !filled) return std::unexpected(std::move(filled).error());
  for (const std::size_t i : differing) {
    auto tie = is_tie(got.views[i], want.views[i], i, limits[i], bounds);
    if (!tie) return tie;
    if (auto filled = fill(); !filled) return std::unexpected(std::move(filled).error());
    if (!*tie) return false;
  }
  return true;
}

/// An input in which the numbers are equal need not be the one that the reference looks at: a mask
/// has many equal numbers. So they are put in the order of the candidate's answer. Then the
/// reference must give the same one.
Attempt<bool> Edges::is_tie(const judge::OutputView& got, const judge::OutputView& want,
                            std::size_t output, const judge::Limit& limit, const Bounds& bounds) {
  const auto contents = reference_.contents();
  std::vector<judge::OutputView> inputs;
  for (std::size_t i = 0; i < contents.size() && i < inputs_.size(); ++i) {
    const TensorLeaf& leaf = inputs_[i];
    const bool is_plain =
        leaf.order.empty() && contents[i].size() == element_count(leaf.shape) * size_of(leaf.dtype);
    inputs.push_back({.name = "input",
                      .shape = leaf.shape,
                      .dtype = leaf.dtype,
                      .bytes = is_plain ? contents[i] : std::span<const std::byte>()});
  }
  for (const judge::Counted& counted : judge::ties_in(got, want, inputs)) {
    for (const auto order : {judge::Order::descending, judge::Order::ascending}) {
      copies_.clear();
      auto changed = contents;
      const auto copy = copies_.emplace_back(contents[counted.input]).span();
      if (!judge::put_in_order(got, counted, order, inputs[counted.input].dtype, copy)) continue;
      changed[counted.input] = copy;
      auto gives = gives_over(std::move(changed), got, output, limit, bounds);
      if (!gives || *gives) return gives;
    }
  }
  return false;
}

/// Whether the reference gives this output over such inputs.
Attempt<bool> Edges::gives_over(std::vector<std::span<const std::byte>> contents,
                                const judge::OutputView& wanted, std::size_t output,
                                const judge::Limit& limit, const Bounds& bounds) {
  auto ran = reference_.refill(std::move(contents), tensor::kPoisons[0]);
  if (ran) ran = reference_.run(bounds);
  if (!ran) {
    if (std::holds_alternative<Error>(ran.error())) return std::unexpected(ran.error());
    return false;  // its answer is undefined here
  }
  auto answer = reference_.answer(bounds);
  if (!answer) return std::unexpected(std::move(answer).error());
  const bool same = output < answer->views.size() && answer->views[output].shape == wanted.shape &&
                    answer->views[output].dtype == wanted.dtype &&
                    judge::agrees_throughout(wanted, answer->views[output], limit);
  reference_.release_answer();
  return same;
}

bool Edges::may_explain(const WrongAnswer& wrong) {
  return wrong.rule == "tolerance" && wrong.mismatches > 0 &&
         wrong.mismatches <= std::min(kMost, kFew + wrong.compared / kOneIn);
}

Attempt<bool> Edges::explain(const Answer& got, const Answer& want,
                             const std::vector<judge::Limit>& limits, const Fill& fill,
                             const Bounds& bounds) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < got.views.size(); ++i) {
    const auto wrong = judge::mismatches(got.views[i], want.views[i], limits[i]);
    if (!wrong.empty() && judge::has_index_twice(got.views[i], want.views[i])) return false;
    for (const std::size_t element : wrong) places.push_back({i, element});
  }
  const auto left = bounds.deadline.remaining();
  for (int run = 0; run < kRuns && !places.empty(); ++run) {
    if (left - bounds.deadline.remaining() > kLongestShaking) break;
    auto shaken = shake(run, fill);
    if (!shaken) return std::unexpected(std::move(shaken).error());
    if (!*shaken) break;
    auto ran = reference_.run(bounds);
    if (!ran) {
      if (std::holds_alternative<Error>(ran.error())) return std::unexpected(ran.error());
      break;  // its answer is undefined here, or it changes its inputs
    }
    auto answer = reference_.answer(bounds);
    if (!answer) return std::unexpected(std::move(answer).error());
    if (!are_alike(answer->views, got.views)) {
      reference_.release_answer();
      break;
    }
    std::erase_if(places, [&](const Place& place) {
      // What was measured in float64 was measured over the inputs themselves.
      const judge::Limit limit(limits[place.output].tolerance);
      return judge::agrees_at(got.views[place.output], answer->views[place.output], limit,
                              place.element);
    });
    reference_.release_answer();
  }
  if (auto filled = fill(); !filled) return std::unexpected(std::move(filled).error());
  return places.empty();
}

/// False if none of the inputs can be changed.
Attempt<bool> Edges::shake(int run, const Fill& fill) {
  if (auto filled = fill(); !filled) return std::unexpected(std::move(filled).error());
  std::random_device random;
  auto contents = reference_.contents();
  copies_.clear();
  copies_.reserve(contents.size());
  for (std::size_t i = 0; i < contents.size() && i < inputs_.size(); ++i) {
    const DType dtype = inputs_[i].dtype;
    if (!tensor::is_measure(dtype, inputs_[i].shape, contents[i])) continue;
    const auto copy = copies_.emplace_back(contents[i]).span();
    if (copy.size() <= kMostShaken) {
      tensor::shake(dtype, random(), part_of_run(dtype, run), copy);
    } else {
      tensor::nudge(dtype, random(), copy);
    }
    contents[i] = copy;
  }
  if (copies_.empty()) return false;
  auto filled = reference_.refill(contents, tensor::kPoisons[0]);
  if (!filled) return std::unexpected(std::move(filled).error());
  return true;
}

}  // namespace assay::eval
