#include "eval/python_contender.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "eval/answer.hpp"
#include "eval/buffers.hpp"
#include "eval/compiled_store.hpp"
#include "eval/contender.hpp"
#include "eval/load_files.hpp"
#include "eval/native_contender.hpp"
#include "eval/outside_clock.hpp"
#include "eval/parcel_post.hpp"
#include "eval/payload.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/kernel.hpp"
#include "model/names.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/bytes.hpp"

namespace assay::eval {
namespace {

/// A bare Triton kernel answers in its arguments, as a CUDA kernel does; everything else returns
/// its answer, and fills only what is marked.
std::vector<std::size_t> answering_arguments(const Kernel& kernel) {
  if (kernel.type == KernelType::triton) return output_positions(*kernel.io);
  std::vector<std::size_t> marked;
  for (std::size_t i = 0; i < kernel.io->args.size(); ++i) {
    const auto* tensor = std::get_if<TensorArg>(&kernel.io->args[i].value);
    if (tensor != nullptr && tensor->role != Role::input) marked.push_back(i);
  }
  return marked;
}

Tree arguments_of(const IoContract& contract) {
  SequenceNode args;
  for (const Argument& argument : contract.args) {
    if (const auto* tensor = std::get_if<TensorArg>(&argument.value)) {
      args.items.push_back({TensorLeaf{.shape = tensor->shape, .dtype = tensor->dtype}});
    } else {
      args.items.push_back(std::visit([](const auto& value) { return Tree{value}; },
                                      std::get<ScalarArg>(argument.value)));
    }
  }
  return {std::move(args)};
}

std::vector<tensor::SlotSpec> argument_specs(const Tree& tree, bool may_change) {
  std::vector<tensor::SlotSpec> specs = specs_of(tree);
  const auto leaves = tensors_of(tree);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    specs[i].is_output = may_change;
    specs[i].row = tensor::row_bytes(leaves[i]->shape, leaves[i]->dtype);
  }
  return specs;
}

/// The process is gone, not only what it was to do.
bool was_ended(const Verdict& verdict) {
  const auto* crashed = std::get_if<Crashed>(&verdict);
  return (crashed != nullptr && crashed->signal) || std::holds_alternative<TimedOut>(verdict) ||
         std::holds_alternative<Tampered>(verdict);
}

}  // namespace

Attempt<std::unique_ptr<PythonContender>> PythonContender::prepare(
    PythonLoad load, const BuiltKernel& built, std::unique_ptr<PythonRunner> runner,
    RunnerSource& source, CompiledStore* compiled, const Bounds& bounds) {
  std::unique_ptr<PythonContender> contender(
      new PythonContender(*load.kernel, compiled, {std::move(runner), source}));
  auto files = open_extensions(load, built);
  if (!files) return std::unexpected(std::move(files).error());
  std::vector<int> descriptors;
  for (const UniqueFd& file : *files) descriptors.push_back(file.get());
  const auto packed = compiled_of(*load.kernel, compiled);
  load.with_compiled = packed != nullptr;
  if (packed != nullptr) descriptors.push_back(packed->fd());
  if (compiled != nullptr) contender->compiled_before_ = load.with_compiled;
  auto loaded = contender->post_.ask<Loaded>(load, descriptors, bounds);
  if (!loaded) return std::unexpected(std::move(loaded).error());
  contender->loaded_ = *loaded;
  return contender;
}

void PythonContender::produce_ahead(Parcel parcel, std::uint64_t seed, const Bounds& bounds) {
  ahead_ = std::async(std::launch::async, [this, parcel, seed, bounds] {
    const std::stop_callback stopped(bounds.stop, [this] { ahead_stop_.request_stop(); });
    return post_.ask<Produced>(ProduceCommand{parcel, seed}, {},
                               {bounds.deadline, ahead_stop_.get_token()});
  });
}

Attempt<Payload> PythonContender::produce(Parcel parcel, std::uint64_t seed, const Bounds& bounds) {
  auto produced =
      ahead_.valid() ? ahead_.get() : post_.ask<Produced>(ProduceCommand{parcel, seed}, {}, bounds);
  if (!produced) return std::unexpected(std::move(produced).error());
  Payload payload{.tree = std::move(produced->value)};
  auto tensors = post_.collect(parcel, payload.tree, produced_, bounds);
  if (!tensors) return std::unexpected(std::move(tensors).error());
  payload.tensors = std::move(*tensors);
  payload.made_on_device = produced->on_device;
  if (parcel == Parcel::state) varied_ = std::move(produced->varied);
  return payload;
}

Attempt<void> PythonContender::initialise(const Payload& arguments, VaryWeights vary,
                                          const Bounds& bounds) {
  auto done = post_.give<Done>(Parcel::init_inputs, arguments, bounds, vary);
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

Attempt<Stated> PythonContender::take_state(const Payload& state, const Bounds& bounds) {
  return post_.give<Stated>(Parcel::state, state, bounds);
}

Attempt<Answer> PythonContender::kept(const Bounds& bounds) {
  auto produced = post_.ask<Produced>(ProduceCommand{Parcel::kept, 0}, {}, bounds);
  if (!produced) return std::unexpected(std::move(produced).error());
  auto tensors = post_.collect(Parcel::kept, produced->value, precise_, bounds);
  if (!tensors) return std::unexpected(std::move(tensors).error());
  return answer_of(produced->value, *tensors);
}

void PythonContender::keep_compiled(const Bounds& bounds) {
  if (compiled_ == nullptr) return;
  const auto memory = make_host_arena(kMaxCompiledBytes);
  if (!memory) return;
  const auto packed = post_.ask<Packed>(PackCommand{}, std::array{(*memory)->fd()}, bounds);
  if (!packed || packed->bytes == 0 || packed->bytes > kMaxCompiledBytes) return;
  compiled_->keep(kernel_, (*memory)->bytes().first(packed->bytes));
}

void PythonContender::expect_size_of(const Answer& answer) {
  constexpr std::size_t kNoHarm = std::size_t{64} << 20U;
  std::size_t total = 0;
  for (const judge::OutputView& view : answer.views) total += view.bytes.size();
  most_answer_ = std::max(total, kNoHarm);
}

void PythonContender::allow_input_changes() {
  inputs_may_change_ = true;
  arguments_.reset();
}

Attempt<void> PythonContender::fill(const RoundInputs& inputs, const Bounds& bounds) {
  std::vector<std::span<const std::byte>> contents;
  Attempt<void> ready;
  if (has_contract()) {
    auto own = contract_contents(*kernel_.io, inputs);
    if (!own) return std::unexpected(std::move(own).error());
    contents = std::move(*own);
    std::vector<std::string> names;
    for (const Argument& argument : kernel_.io->args) names.push_back(argument.name);
    ready = set_arguments(arguments_of(*kernel_.io),
                          tensor::slot_specs(*kernel_.io, answering_arguments(kernel_)),
                          std::move(names), bounds);
  } else {
    contents = inputs.given->tensors;
    const Tree& tree = inputs.given->tree;
    auto specs = argument_specs(tree, inputs_may_change_);
    std::vector<std::string> names;
    names.reserve(specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) names.push_back(fmt::format("inputs[{}]", i));
    ready = set_arguments(tree, specs, std::move(names), bounds);
  }
  if (!ready) return ready;
  auto filled = buffers_->fill(std::move(contents), inputs.blank, inputs.staged);
  if (!filled) return std::unexpected(std::move(filled).error());
  return {};
}

Attempt<void> PythonContender::refill(std::vector<std::span<const std::byte>> contents,
                                      const tensor::Poison& blank) {
  if (auto filled = buffers_->fill(std::move(contents), blank); !filled) {
    return std::unexpected(std::move(filled).error());
  }
  return {};
}

/// Gives the runner its arguments where they differ from the last ones in more than the bytes
/// their tensors hold.
Attempt<void> PythonContender::set_arguments(const Tree& arguments,
                                             const std::vector<tensor::SlotSpec>& specs,
                                             std::vector<std::string> names, const Bounds& bounds) {
  if (arguments_ == arguments) return {};
  if (auto fits = check_size(arguments, "inputs"); !fits) return fits;
  auto buffers = Buffers::create(specs, std::move(names), post_.source());
  if (!buffers) return std::unexpected(std::move(buffers).error());
  buffers_ = std::move(*buffers);
  arguments_ = arguments;
  SharedArena& arena = buffers_->arena();
  GiveCommand command{.parcel = Parcel::inputs,
                      .value = arguments,
                      .arena_size = arena.size(),
                      .memory = arena.memory(),
                      .restores = buffers_->restores()};
  const auto leaves = tensors_of(command.value);
  for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i]->offset = buffers_->slots()[i].offset;
  auto done = post_.ask<Done>(command, std::array{arena.fd()}, bounds);
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

Attempt<void> PythonContender::run(const Bounds& bounds) {
  auto produced = post_.ask<Produced>(RunCommand{}, {}, bounds);
  if (!produced) return std::unexpected(std::move(produced).error());
  returned_ = std::move(produced->value);
  allows_tf32_ = produced->tf32;
  return buffers_->check_writes();
}

/// Nothing where it cannot.
Attempt<std::optional<Tree>> PythonContender::ask_copy(const PythonCommand& command,
                                                       const Bounds& bounds) {
  auto produced = post_.ask<Produced>(command, {}, bounds);
  if (produced) return std::move(produced->value);
  const auto* fate = std::get_if<Fate>(&produced.error());
  if (fate == nullptr || was_ended(fate->verdict)) {
    return std::unexpected(std::move(produced).error());
  }
  return std::nullopt;
}

Attempt<std::optional<PythonContender::Precise>> PythonContender::answer_precisely(
    bool of_last_run, const Bounds& bounds) {
  auto value = ask_copy(PreciseRunCommand{of_last_run}, bounds);
  if (!value) return std::unexpected(std::move(value).error());
  const auto* parts = *value ? std::get_if<SequenceNode>(&(*value)->value) : nullptr;
  if (parts == nullptr || parts->items.size() != 2) return std::nullopt;
  const auto* name = std::get_if<std::string>(&parts->items[0].value);
  const auto lowest = name == nullptr ? std::nullopt : value_in(kDTypeNames, *name);
  if (!lowest) return std::nullopt;
  auto tensors = post_.collect(Parcel::precise, **value, precise_, bounds);
  if (!tensors) return std::unexpected(std::move(tensors).error());
  return Precise{.answer = answer_of(parts->items[1], *tensors), .lowest = *lowest};
}

Attempt<std::optional<Answer>> PythonContender::answer_of_copy(bool of_last_run,
                                                               const Bounds& bounds) {
  auto value = ask_copy(CopyRunCommand{of_last_run}, bounds);
  if (!value) return std::unexpected(std::move(value).error());
  if (!*value) return std::nullopt;
  auto tensors = post_.collect(Parcel::precise, **value, precise_, bounds);
  if (!tensors) return std::unexpected(std::move(tensors).error());
  return answer_of(**value, *tensors);
}

void PythonContender::release_answer() {
  if (buffers_) buffers_->arena().forget_looks();
  for (ParcelPost::Landing* const landing : {&outputs_, &precise_}) {
    if (*landing != nullptr && (*landing)->size() == 0) landing->reset();  // closed: of no more use
  }
}

Attempt<void> PythonContender::warm(int calls, const Bounds& bounds) {
  auto done = post_.ask<Done>(WarmCommand{calls}, {}, bounds);
  if (!done) return std::unexpected(std::move(done).error());
  returned_.reset();
  return {};
}

Attempt<std::vector<double>> PythonContender::time(int samples, const Bounds& bounds) {
  if (auto poisoned = buffers_->poison_outputs(); !poisoned) {
    return std::unexpected(std::move(poisoned).error());
  }
  auto times = post_.ask<Samples>(TimeCommand{samples}, {}, bounds);
  if (!times) return std::unexpected(std::move(times).error());
  returned_.reset();
  // Of answers in the host's memory alone: adding up those of a GPU would take the processor long,
  // and only a runner that is not ours says so.
  if (!buffers_->on_gpu()) fingerprint_ = times->fingerprint;
  if (auto checked = buffers_->check_timed_writes(); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  return counted(std::move(times->ns), samples);
}

/// Of each slot.
std::vector<TensorLeaf> PythonContender::leaves() const {
  std::vector<TensorLeaf> leaves;
  if (has_contract()) {
    for (const tensor::Slot& slot : buffers_->slots()) {
      const auto& tensor = std::get<TensorArg>(kernel_.io->args[slot.argument].value);
      leaves.push_back({.shape = tensor.shape, .dtype = tensor.dtype});
    }
  } else {
    for (const TensorLeaf* leaf : tensors_of(*arguments_)) leaves.push_back(*leaf);
  }
  return leaves;
}

Result<void> PythonContender::exchange_elements(std::uint64_t seed) {
  return buffers_->exchange(leaves(), seed);
}

Scene PythonContender::scene() const {
  return buffers_->scene(leaves());
}

Attempt<void> PythonContender::arm(const ArmCommand& command, std::span<const int> descriptors,
                                   const Bounds& bounds) {
  auto done = post_.ask<Done>(command, descriptors, bounds);
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

Attempt<Rounded> PythonContender::round(const RoundCommand& command, const Bounds& bounds) {
  auto rounded = post_.ask<Rounded>(command, {}, bounds);
  returned_.reset();
  buffers_->note_timed_round();
  return rounded;
}

Attempt<std::vector<double>> PythonContender::host_time(std::uint32_t calls, const Bounds& bounds) {
  auto times = post_.ask<Samples>(HostTimeCommand{calls}, {}, bounds);
  if (!times) return std::unexpected(std::move(times).error());
  return std::move(times->ns);
}

Attempt<void> PythonContender::profile(const ProfileCommand& command, const Bounds& bounds) {
  auto done = post_.ask<Done>(command, {}, bounds);
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

Attempt<Answer> PythonContender::answer(const Bounds& bounds) {
  if (auto looked = buffers_->look_again(); !looked) {
    return std::unexpected(std::move(looked).error());
  }
  const bool was_timed = !returned_.has_value();
  if (was_timed) {
    auto produced = post_.ask<Produced>(OutputsCommand{}, {}, bounds);
    if (!produced) return std::unexpected(std::move(produced).error());
    returned_ = std::move(produced->value);
  }
  const bool in_place = std::holds_alternative<NoneLeaf>(returned_->value);
  if (in_place) {
    if (auto still = stand_still(); !still) return std::unexpected(std::move(still).error());
  }
  if (has_contract() && in_place) {
    auto outputs = filled_outputs(*kernel_.io, *buffers_);
    if (!outputs) return std::unexpected(std::move(outputs).error());
    return answer_of(*std::move(outputs));
  }
  if (inputs_may_change_ && in_place) {
    auto changed = changed_inputs();
    if (!changed) return std::unexpected(std::move(changed).error());
    return answer_of(*std::move(changed));
  }
  if (most_answer_ && total_bytes(*returned_) > *most_answer_) {
    Answer answer = answer_of(*returned_, {});
    answer.has_elements = false;
    return answer;
  }
  auto tensors = post_.collect(Parcel::outputs, *returned_, outputs_, bounds);
  if (!tensors) return std::unexpected(std::move(tensors).error());
  if (was_timed && fingerprint_ && sum_of_elements(*returned_, *tensors) != *fingerprint_) {
    return std::unexpected(
        Fate{Tampered{.rule = "timed_runs_differ",
                      .reason = "the answer of a timed call is not what it was when its time had "
                                "been taken: it was written later"},
             {}});
  }
  Answer answer = answer_of(*returned_, *tensors);
  if (with_inputs_.empty()) return answer;
  if (auto still = stand_still(); !still) return std::unexpected(std::move(still).error());
  auto changed = changed_inputs();
  if (!changed) return std::unexpected(std::move(changed).error());
  for (const std::size_t i : with_inputs_) answer.views.push_back(std::move((*changed)[i]));
  return answer;
}

/// Before we look at the memory that it writes to.
Attempt<void> PythonContender::stand_still() {
  if (buffers_->on_gpu()) return {};
  return stopped(post_.runner().pause(), "before its answer is read");
}

Attempt<std::vector<std::size_t>> PythonContender::inputs_beside_answer(const Bounds& bounds) {
  std::vector<std::size_t> beside;
  if (has_contract() || !returned_ || std::holds_alternative<NoneLeaf>(returned_->value)) {
    return beside;
  }
  auto shown = answer(bounds);
  if (!shown) return std::unexpected(std::move(shown).error());
  const auto changed = changed_inputs();
  if (!changed) return std::unexpected(changed.error());
  for (std::size_t i = 0; i < changed->size(); ++i) {
    const bool is_shown = std::ranges::any_of(shown->views, [&](const judge::OutputView& view) {
      return view.is_input && tensor::same_bytes(view.bytes, (*changed)[i].bytes);
    });
    if (!is_shown) beside.push_back(i);
  }
  return beside;
}

/// What a kernel left in its inputs.
Result<std::vector<judge::OutputView>> PythonContender::changed_inputs() const {
  const auto leaves = tensors_of(std::as_const(*arguments_));
  std::vector<judge::OutputView> views;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const tensor::Slot& slot = buffers_->slots()[i];
    ASSAY_TRY(const auto bytes, buffers_->bytes(slot));
    views.push_back({.name = buffers_->name(slot),
                     .shape = leaves[i]->shape,
                     .dtype = leaves[i]->dtype,
                     .bytes = bytes,
                     .is_untouched = tensor::same_bytes(bytes, buffers_->contents()[i])});
  }
  return views;
}

}  // namespace assay::eval
