#include "eval/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/result.hpp"
#include "eval/input_set.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "gate/scene_check.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"
#include "tensor/distribution.hpp"
#include "tensor/generate.hpp"

namespace assay::eval {
namespace {

constexpr std::size_t kMostStaged = std::size_t{256} << 20U;  // bytes; larger inputs lie once

constexpr std::size_t kElementsPerPair = 4096;
constexpr std::size_t kMostPairs = 256;

bool is_zero(std::span<const std::byte> element) {
  return std::ranges::all_of(element, [](std::byte b) { return b == std::byte{}; });
}

/// Where the device has no memory of its own: on a GPU the gate writes inputs before each call.
void stage_inputs(std::vector<tensor::SlotSpec>& specs, const RunnerSource& source) {
  if (source.free_memory()) return;
  std::size_t total = 0;
  for (const tensor::SlotSpec& spec : specs) total += spec.size;
  if (total > kMostStaged) return;
  for (tensor::SlotSpec& spec : specs) spec.is_staged = spec.is_given && !spec.is_output;
}

}  // namespace

Result<Buffers> Buffers::create(std::vector<tensor::SlotSpec> specs, std::vector<std::string> names,
                                RunnerSource& source) {
  stage_inputs(specs, source);
  tensor::ArenaLayout layout(specs);
  ASSAY_TRY(auto arena, source.make_arena(layout.size()));
  return Buffers(std::move(names), std::move(layout), std::move(arena));
}

std::vector<ArenaCopy> Buffers::restores() const {
  std::vector<ArenaCopy> copies;
  for (const tensor::Slot& slot : slots()) {
    if (slot.pristine) copies.push_back({*slot.pristine, slot.offset, slot.size});
  }
  return copies;
}

std::size_t Buffers::restored_bytes() const {
  std::size_t total = 0;
  for (const ArenaCopy& copy : restores()) total += copy.size;
  return total;
}

std::vector<ArenaPoison> Buffers::poisons() const {
  std::vector<ArenaPoison> parts;
  for (const tensor::Slot& slot : slots()) {
    if (slot.is_output && !slot.pristine) parts.push_back({slot.offset, slot.size});
  }
  return parts;
}

Result<void> Buffers::fill(std::vector<std::span<const std::byte>> contents,
                           const tensor::Poison& blank, bool staged) {
  originals_ = std::move(contents);
  blank_ = blank;
  stale_ = false;
  varied_ = false;
  auto done = layout_.paint_guards([this](std::size_t offset, std::span<const std::byte> zone) {
    return arena_->put(offset, zone);
  });
  for (std::size_t i = 0; i < slots().size() && done; ++i) {
    const tensor::Slot& slot = slots()[i];
    if (originals_[i].empty()) {
      done = arena_->poison(slot.offset, slot.size, slot.is_blank ? blank : tensor::Poison{});
      continue;
    }
    if (!staged || !slot.pristine) done = arena_->put(slot.offset, originals_[i]);
    if (done && slot.pristine) done = arena_->put(*slot.pristine, originals_[i]);
  }
  return done ? arena_->publish() : done;
}

Attempt<void> Buffers::poison_outputs() {
  const auto parts = poisons();
  if (parts.empty()) return {};
  if (auto looked = look_again(); !looked) return looked;  // before the traces are pushed over
  Result<void> done;
  for (const ArenaPoison& part : parts) {
    if (done) done = arena_->poison(part.offset, part.size, {});
  }
  if (done) done = arena_->publish();
  if (!done) return std::unexpected(std::move(done).error());
  return {};
}

std::string Buffers::describe(const tensor::Trespass& outside) const {
  if (slots().empty()) return "the kernel wrote to memory it was not given";
  const tensor::Slot& beside = slots()[outside.slot];
  return fmt::format(
      "the kernel wrote outside its buffers: at byte {} of '{}', which has {} bytes. If the kernel "
      "is right, its contract does not fit it: look at the shape of '{}', at the sizes that are "
      "passed beside it, and at grid and block",
      outside.offset, names_[beside.argument], beside.size, names_[beside.argument]);
}

Attempt<void> Buffers::check_writes() {
  if (auto got = arena_->fetch(); !got) return std::unexpected(std::move(got).error());
  const auto outside = layout_.broken_guard(
      [this](std::size_t offset, std::size_t size) { return arena_->look(offset, size); });
  if (!outside) return std::unexpected(outside.error());
  if (*outside) return std::unexpected(Fate{Crashed{.reason = describe(**outside)}, {}});
  for (std::size_t i = 0; i < slots().size(); ++i) {
    const tensor::Slot& slot = slots()[i];
    if (varied_ || originals_[i].empty()) continue;
    if (slot.pristine) {
      const auto kept = arena_->holds(*slot.pristine, originals_[i]);
      if (!kept) return std::unexpected(kept.error());
      if (!*kept) {
        return std::unexpected(
            Fate{Crashed{.reason = fmt::format(
                             "the kernel wrote outside its buffers: into the copy that '{}' is "
                             "restored from before each run",
                             names_[slot.argument])},
                 {}});
      }
    }
    if (slot.is_output) continue;
    const auto same = arena_->holds(slot.offset, originals_[i]);
    if (!same) return std::unexpected(same.error());
    if (*same) continue;
    return std::unexpected(Fate{
        Tampered{.rule = std::string(kInputModified),
                 .reason = fmt::format(
                     "the kernel changed its input '{}' in place. Copy it first, or write to an "
                     "output. If it is meant to change, have the reference change it too, or give "
                     "it the role inout in the contract",
                     names_[slot.argument])},
        {}});
  }
  return {};
}

Attempt<void> Buffers::check_timed_writes() {
  blank_ = {};  // as poison_outputs left them, or a GPU's runner before each run
  stale_ = on_gpu();
  return stale_ ? Attempt<void>{} : check_writes();
}

Attempt<void> Buffers::look_again() {
  return std::exchange(stale_, false) ? check_writes() : Attempt<void>{};
}

Result<void> Buffers::exchange(std::span<const TensorLeaf> leaves, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < slots().size() && i < leaves.size(); ++i) {
    const auto& original = originals_[i];
    if (original.empty() || slots()[i].is_output) continue;
    if (!tensor::is_measure(leaves[i].dtype, leaves[i].shape, original)) continue;
    const std::size_t size = size_of(leaves[i].dtype);
    const std::size_t count = original.size() / size;
    for (std::size_t pairs = std::min(count / kElementsPerPair + 1, kMostPairs); pairs > 0;
         --pairs) {
      const Exchanged one{.slot = i, .offset = random() % count * size, .size = size};
      const Exchanged other{.slot = i, .offset = random() % count * size, .size = size};
      const auto first = original.subspan(one.offset, size);
      const auto second = original.subspan(other.offset, size);
      if (is_zero(first) || is_zero(second)) continue;  // a triangle stays one
      if (auto done = put_element(one, second); !done) return done;
      if (auto done = put_element(other, first); !done) return done;
      exchanged_.insert(exchanged_.end(), {one, other});
    }
  }
  varied_ = true;
  return arena_->publish();
}

Result<void> Buffers::give_back() {
  for (const Exchanged& at : exchanged_) {
    const auto element = originals_[at.slot].subspan(at.offset, at.size);
    if (auto done = put_element(at, element); !done) return done;
    if (slots()[at.slot].pristine) {
      if (auto done = arena_->put(slots()[at.slot].offset + at.offset, element); !done) return done;
    }
  }
  exchanged_.clear();
  varied_ = false;
  return arena_->publish();
}

/// Where a timed call takes it from.
Result<void> Buffers::put_element(const Exchanged& at, std::span<const std::byte> element) {
  const tensor::Slot& slot = slots()[at.slot];
  return arena_->put(slot.pristine.value_or(slot.offset) + at.offset, element);
}

Scene Buffers::scene(std::span<const TensorLeaf> leaves) const {
  Scene scene{.inputs = {}, .blanks = poisons(), .outputs = {}};
  for (std::size_t i = 0; i < slots().size(); ++i) {
    const tensor::Slot& slot = slots()[i];
    const Shape& shape = leaves[i].shape;
    const DType dtype = leaves[i].dtype;
    const InputVariation how = gate::variation_of(dtype);
    // What cannot vary needs no fresh copy, unless the kernel itself changes it.
    const bool wanted = how != InputVariation::copied || slot.is_output;
    if (wanted && !originals_[i].empty()) {
      scene.inputs.push_back({.bytes = originals_[i],
                              .offset = slot.offset,
                              .how = how,
                              .sorted = tensor::has_sorted_rows(dtype, shape, originals_[i])});
    }
    if (slot.is_output) {
      scene.outputs.push_back(
          {.offset = slot.offset, .size = slot.size, .element_size = size_of(dtype)});
    }
  }
  return scene;
}

void Buffers::note_timed_round() {
  blank_ = {};
  stale_ = true;
  varied_ = true;
}

std::vector<std::span<const std::byte>> contents_of(const IoContract& contract, InputSet& inputs,
                                                    std::uint64_t secret, int round) {
  const auto seeds = tensor::seeds_of(contract, secret, round);
  std::vector<std::span<const std::byte>> contents;
  for (std::size_t i = 0; i < contract.args.size(); ++i) {
    const auto* tensor = std::get_if<TensorArg>(&contract.args[i].value);
    if (tensor == nullptr) continue;
    const bool given = !std::holds_alternative<Unspecified>(tensor->content);
    contents.push_back(given ? inputs.get(*tensor, seeds[i]) : std::span<const std::byte>());
  }
  return contents;
}

}  // namespace assay::eval
