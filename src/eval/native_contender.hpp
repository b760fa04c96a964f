#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/processor_use.hpp"
#include "base/result.hpp"
#include "eval/answer.hpp"
#include "eval/buffers.hpp"
#include "eval/contender.hpp"
#include "eval/runner.hpp"
#include "model/io_contract.hpp"
#include "model/kernel_resources.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/request.hpp"

namespace assay::eval {

/// How the kernel shall be run, where the device can do so.
struct RunMode {
  Sanitize sanitize;
  std::uint64_t schedule_seed = 0;  // 0: natural order
};

/// A compiled kernel, called through its contract.
class NativeContender final : public Contender {
 public:
  /// Loads the kernel into a fresh runner and gives it its buffers. `contract` must outlive this.
  [[nodiscard]] static Attempt<std::unique_ptr<Contender>> prepare(const IoContract& contract,
                                                                   const BuiltKernel& kernel,
                                                                   const RunMode& mode,
                                                                   RunnerSource& source,
                                                                   const Bounds& bounds);

  [[nodiscard]] Attempt<void> fill(const RoundInputs& inputs, const Bounds& bounds) override;
  [[nodiscard]] std::vector<std::span<const std::byte>> contents() const override {
    return buffers_.contents();
  }
  [[nodiscard]] Attempt<void> refill(std::vector<std::span<const std::byte>> contents,
                                     const tensor::Poison& blank) override;
  [[nodiscard]] Attempt<void> run(const Bounds& bounds) override;
  [[nodiscard]] Attempt<void> warm(int calls, const Bounds& bounds) override {
    return runner_->warm(calls, bounds);
  }
  [[nodiscard]] Attempt<std::vector<double>> time(int samples, const Bounds& bounds) override;
  [[nodiscard]] Result<void> exchange_elements(std::uint64_t seed) override;
  [[nodiscard]] Result<void> give_back_elements() override { return buffers_.give_back(); }
  [[nodiscard]] Scene scene() const override;
  [[nodiscard]] Attempt<void> arm(const ArmCommand& command, std::span<const int> descriptors,
                                  const Bounds& bounds) override {
    return runner_->arm(command, descriptors, bounds);
  }
  [[nodiscard]] Attempt<Rounded> round(const RoundCommand& command, const Bounds& bounds) override;
  [[nodiscard]] Attempt<std::vector<double>> host_time(std::uint32_t calls,
                                                       const Bounds& bounds) override {
    return runner_->host_time(calls, bounds);
  }
  [[nodiscard]] Attempt<Traced> trace(const TraceCommand& command, const Bounds& bounds) override {
    return runner_->trace(command, bounds);
  }
  [[nodiscard]] Attempt<void> profile(const ProfileCommand& command,
                                      const Bounds& bounds) override {
    return runner_->profile(command, bounds);
  }
  [[nodiscard]] Attempt<Counted> count(const CountCommand& command, const Bounds& bounds) override {
    return runner_->count(command, bounds);
  }
  [[nodiscard]] Attempt<Answer> answer(const Bounds& bounds) override;
  void release_answer() override { buffers_.arena().forget_looks(); }
  [[nodiscard]] std::optional<KernelResources> resources() const override { return resources_; }
  [[nodiscard]] std::size_t restored_bytes() const override { return buffers_.restored_bytes(); }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return runner_->cpu_time();
  }
  [[nodiscard]] std::optional<ProcessorUse> processor_use() const override {
    return runner_->processor_use();
  }
  [[nodiscard]] Result<void> pause() override { return runner_->pause(); }
  void resume() override { runner_->resume(); }

 private:
  NativeContender(const IoContract& contract, std::unique_ptr<Runner> runner, Buffers buffers)
      : contract_(contract), runner_(std::move(runner)), buffers_(std::move(buffers)) {}
  [[nodiscard]] LaunchPlan plan(const RunMode& mode) const;
  [[nodiscard]] std::vector<TensorLeaf> leaves() const;

  const IoContract& contract_;
  std::unique_ptr<Runner> runner_;
  Buffers buffers_;
  std::optional<KernelResources> resources_;
};

/// The contents of a contract's tensors in this round. They are the contract's own, unless another
/// kernel's get_inputs gave the round its inputs. Then they are those inputs, by position among the
/// tensors that are inputs.
[[nodiscard]] Attempt<std::vector<std::span<const std::byte>>> contract_contents(
    const IoContract& contract, const RoundInputs& inputs);

/// The tensors of a contract that hold its answer.
[[nodiscard]] Result<std::vector<judge::OutputView>> filled_outputs(const IoContract& contract,
                                                                    const Buffers& buffers);

}  // namespace assay::eval
