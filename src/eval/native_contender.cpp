#include "eval/native_contender.hpp"

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "eval/answer.hpp"
#include "eval/buffers.hpp"
#include "eval/contender.hpp"
#include "eval/payload.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/outcome.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {
namespace {

constexpr Dim3 kDefaultBlock{256, 1, 1};

const TensorArg& tensor_at(const IoContract& contract, const tensor::Slot& slot) {
  return std::get<TensorArg>(contract.args[slot.argument].value);
}

std::vector<std::string> names_of(const IoContract& contract) {
  std::vector<std::string> names;
  names.reserve(contract.args.size());
  for (const Argument& argument : contract.args) names.push_back(argument.name);
  return names;
}

/// A cluster of one block is a block.
bool has_clusters(const LaunchConfig& launch) {
  return launch.cluster && launch.cluster->count() > 1;
}

}  // namespace

Attempt<std::unique_ptr<Contender>> NativeContender::prepare(const IoContract& contract,
                                                             const BuiltKernel& kernel,
                                                             const RunMode& mode,
                                                             RunnerSource& source,
                                                             const Bounds& bounds) {
  auto runner = source.fresh();
  if (!runner) return std::unexpected(std::move(runner).error());
  auto buffers = Buffers::create(tensor::slot_specs(contract, output_positions(contract)),
                                 names_of(contract), source);
  if (!buffers) return std::unexpected(std::move(buffers).error());
  if (has_clusters(contract.launch) && !buffers->on_gpu()) {
    return std::unexpected(Fate{
        Unsupported{"thread block clusters (launch.cluster) need a GPU: on the cpu device every "
                    "block runs by itself"},
        {}});
  }
  std::unique_ptr<NativeContender> contender(
      new NativeContender(contract, std::move(*runner), std::move(*buffers)));
  if (auto loaded = contender->runner_->load(kernel, bounds); !loaded) {
    return std::unexpected(std::move(loaded).error());
  }
  SharedArena& arena = contender->buffers_.arena();
  auto bound = contender->runner_->bind(contender->plan(mode), arena.fd(), arena.size(), bounds);
  if (!bound) return std::unexpected(std::move(bound).error());
  contender->resources_ = *bound;
  if (contender->resources_) contender->resources_->spills = kernel.spills;
  return contender;
}

LaunchPlan NativeContender::plan(const RunMode& mode) const {
  const LaunchConfig& launch = contract_.launch;
  LaunchPlan plan{.grid = launch.grid.value_or(Dim3{}),
                  .block = launch.block.value_or(kDefaultBlock),
                  .shared_mem_bytes = launch.shared_mem_bytes,
                  .cooperative = launch.cooperative,
                  .cluster = launch.cluster,
                  .restores = buffers_.restores(),
                  .poisons = buffers_.on_gpu() ? buffers_.poisons() : std::vector<ArenaPoison>{},
                  .sanitize = mode.sanitize,
                  .schedule_seed = mode.schedule_seed};
  std::size_t next_slot = 0;
  for (const Argument& argument : contract_.args) {
    if (const auto* scalar = std::get_if<ScalarArg>(&argument.value)) {
      plan.args.emplace_back(*scalar);
      continue;
    }
    const tensor::Slot& slot = buffers_.slots()[next_slot++];
    const TensorArg& tensor = tensor_at(contract_, slot);
    plan.args.emplace_back(
        ArenaPart{.name = argument.name,
                  .offset = slot.offset,
                  .size = slot.size,
                  .element_size = size_of(tensor.dtype),
                  .initialised = !std::holds_alternative<Unspecified>(tensor.content)});
  }
  return plan;
}

Attempt<void> NativeContender::fill(const RoundInputs& inputs, const Bounds&) {
  auto contents = contract_contents(contract_, inputs);
  if (!contents) return std::unexpected(std::move(contents).error());
  auto filled = buffers_.fill(std::move(*contents), inputs.blank, inputs.staged);
  if (!filled) return std::unexpected(std::move(filled).error());
  return {};
}

Attempt<void> NativeContender::refill(std::vector<std::span<const std::byte>> contents,
                                      const tensor::Poison& blank) {
  if (auto filled = buffers_.fill(std::move(contents), blank); !filled) {
    return std::unexpected(std::move(filled).error());
  }
  return {};
}

Attempt<void> NativeContender::run(const Bounds& bounds) {
  if (auto ran = runner_->run(bounds); !ran) return ran;
  return buffers_.check_writes();
}

Attempt<std::vector<double>> NativeContender::time(int samples, const Bounds& bounds) {
  if (!buffers_.on_gpu()) {  // there the runner, whose host code is ours alone, does so each time
    if (auto poisoned = buffers_.poison_outputs(); !poisoned) {
      return std::unexpected(std::move(poisoned).error());
    }
  }
  auto times = runner_->time(samples, bounds);
  if (!times) return times;
  if (auto checked = buffers_.check_timed_writes(); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  return counted(std::move(*times), samples);
}

/// Of each slot.
std::vector<TensorLeaf> NativeContender::leaves() const {
  std::vector<TensorLeaf> leaves;
  for (const tensor::Slot& slot : buffers_.slots()) {
    const TensorArg& tensor = tensor_at(contract_, slot);
    leaves.push_back({.shape = tensor.shape, .dtype = tensor.dtype});
  }
  return leaves;
}

Result<void> NativeContender::exchange_elements(std::uint64_t seed) {
  return buffers_.exchange(leaves(), seed);
}

Scene NativeContender::scene() const {
  return buffers_.scene(leaves());
}

Attempt<Rounded> NativeContender::round(const RoundCommand& command, const Bounds& bounds) {
  auto rounded = runner_->round(command, bounds);
  buffers_.note_timed_round();
  return rounded;
}

Attempt<Answer> NativeContender::answer(const Bounds&) {
  if (auto looked = buffers_.look_again(); !looked) {
    return std::unexpected(std::move(looked).error());
  }
  if (!buffers_.on_gpu()) {  // we look at the memory that it writes to
    auto still = stopped(runner_->pause(), "before its answer is read");
    if (!still) return std::unexpected(std::move(still).error());
  }
  auto outputs = filled_outputs(contract_, buffers_);
  if (!outputs) return std::unexpected(std::move(outputs).error());
  return answer_of(*std::move(outputs));
}

Attempt<std::vector<std::span<const std::byte>>> contract_contents(const IoContract& contract,
                                                                   const RoundInputs& inputs) {
  auto contents = contents_of(contract, inputs.generated, inputs.secret, inputs.round);
  if (inputs.given == nullptr) return contents;
  const auto given = tensors_of(inputs.given->tree);
  std::size_t next = 0;
  std::size_t slot = 0;
  for (const Argument& argument : contract.args) {
    const auto* tensor = std::get_if<TensorArg>(&argument.value);
    if (tensor == nullptr) continue;
    const std::size_t here = slot++;
    if (tensor->role == Role::output) continue;
    const bool fits = next < given.size() && given[next]->shape == tensor->shape &&
                      given[next]->dtype == tensor->dtype;
    if (!fits) {
      return std::unexpected(Fate{
          Unsupported{fmt::format(
              "the reference makes its own inputs, and '{}' ([{}], {}) is not among them: give "
              "the reference an io contract too, or declare what its get_inputs() gives",
              argument.name, fmt::join(tensor->shape, ", "), to_string(tensor->dtype))},
          {}});
    }
    contents[here] = inputs.given->tensors[next++];
  }
  return contents;
}

Result<std::vector<judge::OutputView>> filled_outputs(const IoContract& contract,
                                                      const Buffers& buffers) {
  std::vector<judge::OutputView> views;
  for (const tensor::Slot& slot : buffers.slots()) {
    if (!slot.is_output) continue;
    const TensorArg& tensor = tensor_at(contract, slot);
    ASSAY_TRY(const auto bytes, buffers.bytes(slot));
    views.push_back({.name = contract.args[slot.argument].name,
                     .shape = tensor.shape,
                     .dtype = tensor.dtype,
                     .bytes = bytes,
                     .before = slot.is_blank ? std::optional(buffers.blank()) : std::nullopt});
  }
  return views;
}

}  // namespace assay::eval
