#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "eval/payload.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"
#include "model/extension.hpp"
#include "model/python_protocol.hpp"
#include "model/tree.hpp"
#include "model/verdict.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {

/// Places for values that no kernel is called with.
[[nodiscard]] std::vector<tensor::SlotSpec> specs_of(const Tree& tree);
/// Of all tensors of a value; no more than a little above what this machine takes.
[[nodiscard]] std::size_t total_bytes(const Tree& tree);
/// Fails where the tensors of a value hold more than this machine takes.
[[nodiscard]] Attempt<void> check_size(const Tree& tree, std::string_view what);

/// Carries values between us and a runner of Python kernels: trees as messages, the elements of
/// their tensors through arenas.
class ParcelPost {
 public:
  using Landing = std::unique_ptr<SharedArena>;  // where a value's tensors are collected
  using Elements = std::vector<std::span<const std::byte>>;

  /// `source` must outlive this.
  ParcelPost(std::unique_ptr<PythonRunner> runner, RunnerSource& source)
      : runner_(std::move(runner)), source_(source) {}

  [[nodiscard]] PythonRunner& runner() { return *runner_; }
  [[nodiscard]] const PythonRunner& runner() const { return *runner_; }
  [[nodiscard]] RunnerSource& source() { return source_; }

  /// A command and the one reply that it may have.
  template <class Reply>
  [[nodiscard]] Attempt<Reply> ask(const PythonCommand& command, std::span<const int> descriptors,
                                   const Bounds& bounds);
  /// The elements of a value that the runner has, in the order of the tree. They lie in `landing`,
  /// which is made anew where it does not fit.
  [[nodiscard]] Attempt<Elements> collect(Parcel parcel, const Tree& tree, Landing& landing,
                                          const Bounds& bounds);
  /// Hands the runner a value.
  template <class Reply>
  [[nodiscard]] Attempt<Reply> give(Parcel parcel, const Payload& payload, const Bounds& bounds,
                                    VaryWeights vary = VaryWeights::none);

 private:
  struct Wrapped {
    GiveCommand command;
    Landing arena;
  };
  [[nodiscard]] Attempt<Wrapped> wrap(Parcel parcel, const Payload& payload);

  std::unique_ptr<PythonRunner> runner_;
  RunnerSource& source_;
};

template <class Reply>
Attempt<Reply> ParcelPost::ask(const PythonCommand& command, std::span<const int> descriptors,
                               const Bounds& bounds) {
  auto reply = runner_->call(command, descriptors, bounds);
  if (!reply) return std::unexpected(std::move(reply).error());
  if (auto* expected = std::get_if<Reply>(&*reply)) return std::move(*expected);
  if (auto* needed = std::get_if<ExtensionsNeeded>(&*reply)) {
    return std::unexpected(Setback(std::move(*needed)));
  }
  return std::unexpected(Setback(Fate{
      Tampered{.rule = "protocol", .reason = "the runner answered what nobody asked for"}, {}}));
}

template <class Reply>
Attempt<Reply> ParcelPost::give(Parcel parcel, const Payload& payload, const Bounds& bounds,
                                VaryWeights vary) {
  auto wrapped = wrap(parcel, payload);
  if (!wrapped) return std::unexpected(std::move(wrapped).error());
  wrapped->command.vary_weights = vary;
  return ask<Reply>(wrapped->command, std::array{wrapped->arena->fd()}, bounds);
}

}  // namespace assay::eval
