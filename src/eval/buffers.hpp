#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/input_set.hpp"
#include "eval/outside_clock.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "model/dtype.hpp"
#include "model/io_contract.hpp"
#include "model/python_protocol.hpp"
#include "model/runner_protocol.hpp"
#include "model/tree.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {

/// The tensors one kernel is called with, in an arena shared with its runner. Also knows which of
/// them may change, and what was in the others.
class Buffers {
 public:
  /// `names` are those of all arguments, by position. On the host inputs can be staged.
  [[nodiscard]] static Result<Buffers> create(std::vector<tensor::SlotSpec> specs,
                                              std::vector<std::string> names, RunnerSource& source);

  [[nodiscard]] const std::vector<tensor::Slot>& slots() const { return layout_.slots(); }
  /// What a slot held at the last look at the arena.
  [[nodiscard]] Result<std::span<const std::byte>> bytes(const tensor::Slot& slot) const {
    return arena_->look(slot.offset, slot.size);
  }
  [[nodiscard]] const std::string& name(const tensor::Slot& slot) const {
    return names_[slot.argument];
  }
  [[nodiscard]] SharedArena& arena() const { return *arena_; }
  [[nodiscard]] bool on_gpu() const { return arena_->memory() == MemoryKind::cuda; }
  [[nodiscard]] std::vector<ArenaCopy> restores() const;
  [[nodiscard]] std::size_t restored_bytes() const;
  /// The outputs that poison_outputs fills.
  [[nodiscard]] std::vector<ArenaPoison> poisons() const;

  /// Paints the guards and puts `contents` in place: one for each slot, empty for poison. They must
  /// stay as they are until the next fill. `blank` poisons what is only written. Whatever may be
  /// read is poisoned alike for everyone. With `staged`, inputs are put into a second place if
  /// there is one. The runner takes them from there right before each timed run. Until then nothing
  /// that the kernel left running sees them.
  [[nodiscard]] Result<void> fill(std::vector<std::span<const std::byte>> contents,
                                  const tensor::Poison& blank, bool staged = false);
  [[nodiscard]] const std::vector<std::span<const std::byte>>& contents() const {
    return originals_;
  }
  /// What filled the blank outputs before the last run.
  [[nodiscard]] const tensor::Poison& blank() const { return blank_; }
  /// Before timed runs: an output nobody writes must not pass for an answer.
  [[nodiscard]] Attempt<void> poison_outputs();

  /// After a run: brings our copy up to date, then looks for writes where none may be.
  [[nodiscard]] Attempt<void> check_writes();
  /// The same after timed runs. On a GPU each look costs milliseconds, so there it happens only at
  /// look_again().
  [[nodiscard]] Attempt<void> check_timed_writes();
  [[nodiscard]] Attempt<void> look_again();

  /// Exchanges a few elements within each input that measures something, until give_back(). So
  /// calls over the same inputs are told apart without another copy of them. `leaves` are those of
  /// the slots.
  [[nodiscard]] Result<void> exchange(std::span<const TensorLeaf> leaves, std::uint64_t seed);
  [[nodiscard]] Result<void> give_back();

  /// What must stand around timed calls over these buffers; `leaves` are those of the slots.
  [[nodiscard]] Scene scene(std::span<const TensorLeaf> leaves) const;
  /// A round varied the inputs. Our copy is old, and the inputs no longer are what was filled in.
  void note_timed_round();

 private:
  [[nodiscard]] std::string describe(const tensor::Trespass& outside) const;

  Buffers(std::vector<std::string> names, tensor::ArenaLayout layout,
          std::unique_ptr<SharedArena> arena)
      : names_(std::move(names)), layout_(std::move(layout)), arena_(std::move(arena)) {}

  std::vector<std::string> names_;
  tensor::ArenaLayout layout_;
  std::unique_ptr<SharedArena> arena_;
  std::vector<std::span<const std::byte>> originals_;  // per slot; empty for poisoned outputs
  struct Exchanged {
    std::size_t slot = 0;
    std::size_t offset = 0;  // in the slot
    std::size_t size = 0;
  };
  [[nodiscard]] Result<void> put_element(const Exchanged& at, std::span<const std::byte> element);

  std::vector<Exchanged> exchanged_;
  tensor::Poison blank_;
  bool stale_ = false;   // our copy is older than the last timed run
  bool varied_ = false;  // the inputs are not those that were filled in
};

/// What each tensor of a contract holds in one round, in the order of slots; empty where the
/// contract specifies nothing.
[[nodiscard]] std::vector<std::span<const std::byte>> contents_of(const IoContract& contract,
                                                                  InputSet& inputs,
                                                                  std::uint64_t secret, int round);

}  // namespace assay::eval
