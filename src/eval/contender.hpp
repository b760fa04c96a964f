#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "eval/input_set.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/io_contract.hpp"
#include "model/outcome.hpp"
#include "model/request.hpp"
#include "tensor/arena.hpp"

namespace assay::eval {

/// How the kernel shall be run, where the device can do so.
struct RunMode {
  Sanitize sanitize;
  std::uint64_t schedule_seed = 0;  // 0: natural order
};

/// One of the two kernels in an evaluation: its runner, its buffers, and the checks that need no
/// other kernel.
class Contender {
 public:
  /// Loads the kernel into a fresh runner and gives it its buffers. `contract` must outlive this.
  [[nodiscard]] static Attempt<Contender> prepare(const IoContract& contract,
                                                  const BuiltKernel& kernel, const RunMode& mode,
                                                  RunnerSource& source, const Bounds& bounds);

  /// Writes the round's inputs and poisons what the kernel must fill.
  void fill(InputSet& inputs, std::uint64_t secret, int round);
  /// One run; then finds out whether it wrote where it must not.
  [[nodiscard]] Attempt<void> run(const Bounds& bounds);
  /// Timed runs over the buffers as they are; outputs are poisoned before.
  [[nodiscard]] Attempt<std::vector<double>> time(int samples, const Bounds& bounds);

  [[nodiscard]] std::vector<judge::OutputView> outputs() const;
  [[nodiscard]] std::size_t restored_bytes() const { return restored_bytes_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const {
    return runner_->cpu_time();
  }

 private:
  Contender(const IoContract& contract, std::unique_ptr<Runner> runner, tensor::ArenaLayout layout,
            tensor::Arena arena)
      : contract_(&contract),
        runner_(std::move(runner)),
        layout_(std::move(layout)),
        arena_(std::move(arena)) {}

  [[nodiscard]] LaunchPlan plan(const RunMode& mode);
  [[nodiscard]] const TensorArg& tensor(const tensor::Slot& slot) const;
  [[nodiscard]] std::span<std::byte> bytes(const tensor::Slot& slot) const;
  void poison_outputs() const;
  [[nodiscard]] std::optional<Fate> trespass() const;

  const IoContract* contract_;
  std::unique_ptr<Runner> runner_;
  tensor::ArenaLayout layout_;
  tensor::Arena arena_;
  std::vector<std::span<const std::byte>> originals_;  // per slot; empty for poisoned outputs
  std::size_t restored_bytes_ = 0;
};

}  // namespace assay::eval
