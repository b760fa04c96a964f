#include "eval/parcel_post.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/machine_memory.hpp"
#include "base/result.hpp"
#include "eval/payload.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {
namespace {

std::size_t most_payload_bytes() {
  static const std::size_t kMost = [] {
    constexpr std::size_t kAlways = std::size_t{8} << 30U;
    const std::size_t machine = machine_memory();
    return std::min(std::max(kAlways, share_of_memory(machine)), machine / 2);
  }();
  return kMost;
}

}  // namespace

std::vector<tensor::SlotSpec> specs_of(const Tree& tree) {
  std::vector<tensor::SlotSpec> specs;
  for (const TensorLeaf* leaf : tensors_of(tree)) {
    specs.push_back({.argument = specs.size(), .size = leaf->byte_size()});
  }
  return specs;
}

std::size_t total_bytes(const Tree& tree) {
  std::size_t total = 0;
  for (const TensorLeaf* leaf : tensors_of(tree)) {
    total += std::min(leaf->byte_size(), most_payload_bytes() + 1);
  }
  return total;
}

Attempt<void> check_size(const Tree& tree, std::string_view what) {
  if (total_bytes(tree) <= most_payload_bytes()) return {};
  return std::unexpected(Setback(
      Fate{Unsupported{fmt::format("the {} hold more than {} GiB, which is all that this machine "
                                   "takes",
                                   what, most_payload_bytes() >> 30U)},
           {}}));
}

/// Lays out a place for every tensor and has them copied there. Poisoned first: what the runner
/// leaves out must not pass for an answer.
Attempt<ParcelPost::Elements> ParcelPost::collect(Parcel parcel, const Tree& tree, Landing& landing,
                                                  const Bounds& bounds) {
  const auto leaves = tensors_of(tree);
  Elements tensors;
  if (leaves.empty()) return tensors;
  if (auto fits = check_size(tree, to_string(parcel)); !fits) {
    return std::unexpected(std::move(fits).error());
  }
  const tensor::ArenaLayout layout(specs_of(tree));
  if (landing == nullptr || landing->size() != layout.size()) {
    landing.reset();  // before more is asked for
    auto arena = source_.make_arena(layout.size());
    if (!arena) return std::unexpected(std::move(arena).error());
    landing = std::move(*arena);
  }
  SharedArena& arena = *landing;
  auto ready = arena.poison(0, arena.size(), {});
  if (ready) ready = arena.publish();
  if (!ready) return std::unexpected(std::move(ready).error());
  CollectCommand command{
      .parcel = parcel, .offsets = {}, .arena_size = arena.size(), .memory = arena.memory()};
  for (const tensor::Slot& slot : layout.slots()) command.offsets.push_back(slot.offset);
  if (auto done = ask<Done>(command, std::array{arena.fd()}, bounds); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (auto got = arena.fetch(); !got) return std::unexpected(std::move(got).error());
  for (const tensor::Slot& slot : layout.slots()) {
    const auto bytes = arena.look(slot.offset, slot.size);
    if (!bytes) return std::unexpected(bytes.error());
    tensors.push_back(*bytes);
  }
  arena.close();
  return tensors;
}

Attempt<ParcelPost::Wrapped> ParcelPost::wrap(Parcel parcel, const Payload& payload) {
  GiveCommand command{.parcel = parcel, .value = payload.tree};
  const tensor::ArenaLayout layout(specs_of(payload.tree));
  // Where there is nothing to hold, the device's memory, which takes milliseconds, can be spared.
  Result<Landing> arena =
      payload.tensors.empty() ? make_host_arena(layout.size()) : source_.make_arena(layout.size());
  if (!arena) return std::unexpected(std::move(arena).error());
  const auto leaves = tensors_of(command.value);
  Result<void> put;
  for (std::size_t i = 0; i < leaves.size() && put; ++i) {
    leaves[i]->offset = layout.slots()[i].offset;
    put = (*arena)->put(*leaves[i]->offset, payload.tensors[i]);
  }
  if (put) put = (*arena)->publish();
  if (!put) return std::unexpected(std::move(put).error());
  command.arena_size = (*arena)->size();
  command.memory = (*arena)->memory();
  return Wrapped{.command = std::move(command), .arena = *std::move(arena)};
}

}  // namespace assay::eval
