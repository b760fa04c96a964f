#include "eval/contender.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "eval/input_set.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

constexpr Dim3 kDefaultBlock{256, 1, 1};

}  // namespace

Attempt<Contender> Contender::prepare(const IoContract& contract, const BuiltKernel& kernel,
                                      const RunMode& mode, RunnerSource& source,
                                      const Bounds& bounds) {
  auto runner = source.fresh();
  if (!runner) return std::unexpected(std::move(runner).error());
  tensor::ArenaLayout layout(contract);
  auto arena = tensor::Arena::create(layout.size());
  if (!arena) return std::unexpected(std::move(arena).error());
  Contender contender(contract, std::move(*runner), std::move(layout), std::move(*arena));
  if (auto loaded = contender.runner_->load(kernel, bounds); !loaded) {
    return std::unexpected(std::move(loaded).error());
  }
  const LaunchPlan plan = contender.plan(mode);
  auto bound =
      contender.runner_->bind(plan, contender.arena_.fd(), contender.arena_.bytes().size(), bounds);
  if (!bound) return std::unexpected(std::move(bound).error());
  return contender;
}

LaunchPlan Contender::plan(const RunMode& mode) {
  const LaunchConfig& launch = contract_->launch;
  LaunchPlan plan{.grid = launch.grid.value_or(Dim3{}),
                  .block = launch.block.value_or(kDefaultBlock),
                  .shared_mem_bytes = launch.shared_mem_bytes,
                  .sanitize = mode.sanitize,
                  .schedule_seed = mode.schedule_seed};
  std::size_t next_slot = 0;
  for (const Argument& argument : contract_->args) {
    if (const auto* scalar = std::get_if<ScalarArg>(&argument.value)) {
      plan.args.emplace_back(*scalar);
      continue;
    }
    const tensor::Slot& slot = layout_.slots()[next_slot++];
    plan.args.emplace_back(
        ArenaPart{.name = argument.name,
                  .offset = slot.offset,
                  .size = slot.size,
                  .element_size = size_of(tensor(slot).dtype),
                  .initialised = !std::holds_alternative<Unspecified>(tensor(slot).content)});
    if (!slot.pristine) continue;
    plan.restores.push_back({.from = *slot.pristine, .to = slot.offset, .size = slot.size});
    restored_bytes_ += slot.size;
  }
  return plan;
}

void Contender::fill(InputSet& inputs, std::uint64_t secret, int round) {
  const auto seeds = tensor::seeds_of(*contract_, secret, round);
  layout_.paint_guards(arena_.bytes());
  originals_.clear();
  for (const tensor::Slot& slot : layout_.slots()) {
    if (std::holds_alternative<Unspecified>(tensor(slot).content)) {
      originals_.emplace_back();
      tensor::poison(bytes(slot));
      continue;
    }
    originals_.push_back(inputs.get(tensor(slot), seeds[slot.argument]));
    std::ranges::copy(originals_.back(), bytes(slot).begin());
    if (!slot.pristine) continue;
    std::ranges::copy(originals_.back(), arena_.bytes().subspan(*slot.pristine).begin());
  }
}

Attempt<void> Contender::run(const Bounds& bounds) {
  if (auto ran = runner_->run(bounds); !ran) return ran;
  if (auto fate = trespass()) return std::unexpected(std::move(*fate));
  return {};
}

Attempt<std::vector<double>> Contender::time(int samples, const Bounds& bounds) {
  poison_outputs();
  auto times = runner_->time(samples, bounds);
  if (!times) return times;
  if (times->size() != static_cast<std::size_t>(samples)) {
    return std::unexpected(
        Fate{Tampered{.rule = "protocol",
                      .reason = fmt::format("{} timed runs were asked for, {} times came back",
                                            samples, times->size())},
             {}});
  }
  if (auto fate = trespass()) return std::unexpected(std::move(*fate));
  return times;
}

std::vector<judge::OutputView> Contender::outputs() const {
  std::vector<judge::OutputView> views;
  for (const tensor::Slot& slot : layout_.slots()) {
    if (!slot.is_output) continue;
    views.push_back({.name = contract_->args[slot.argument].name,
                     .shape = tensor(slot).shape,
                     .dtype = tensor(slot).dtype,
                     .bytes = bytes(slot)});
  }
  return views;
}

const TensorArg& Contender::tensor(const tensor::Slot& slot) const {
  return std::get<TensorArg>(contract_->args[slot.argument].value);
}

std::span<std::byte> Contender::bytes(const tensor::Slot& slot) const {
  return arena_.bytes().subspan(slot.offset, slot.size);
}

void Contender::poison_outputs() const {
  for (const tensor::Slot& slot : layout_.slots()) {
    if (slot.is_output && !slot.pristine) tensor::poison(bytes(slot));
  }
}

std::optional<Fate> Contender::trespass() const {
  if (const auto argument = layout_.broken_guard(arena_.bytes())) {
    return Fate{Crashed{.reason = fmt::format("the kernel wrote outside its buffers, beside '{}'",
                                              contract_->args[*argument].name)},
                {}};
  }
  for (std::size_t i = 0; i < layout_.slots().size(); ++i) {
    const tensor::Slot& slot = layout_.slots()[i];
    if (slot.is_output || std::ranges::equal(bytes(slot), originals_[i])) continue;
    return Fate{Tampered{.rule = "input_modified",
                         .reason = fmt::format(
                             "the kernel changed '{}', which its contract declares an input",
                             contract_->args[slot.argument].name)},
                {}};
  }
  return std::nullopt;
}

}  // namespace assay::eval
