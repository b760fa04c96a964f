#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/processor_use.hpp"
#include "base/result.hpp"
#include "eval/answer.hpp"
#include "eval/buffers.hpp"
#include "eval/compiled_store.hpp"
#include "eval/contender.hpp"
#include "eval/parcel_post.hpp"
#include "eval/payload.hpp"
#include "eval/runner.hpp"
#include "judge/compare.hpp"
#include "model/dtype.hpp"
#include "model/kernel.hpp"
#include "model/outcome.hpp"
#include "model/python_protocol.hpp"
#include "model/tree.hpp"

namespace assay::eval {

[[nodiscard]] constexpr bool is_python(KernelType type) {
  return type != KernelType::cuda;
}

/// A Python module, called with the arguments of its contract or with what a get_inputs gave.
class PythonContender final : public Contender {
 public:
  /// Has a fresh runner execute the source. If `compiled` has kept something of the source, the
  /// runner gets it. `load.kernel`, `source` and `compiled` must outlive this.
  [[nodiscard]] static Attempt<std::unique_ptr<PythonContender>> prepare(
      PythonLoad load, const BuiltKernel& built, std::unique_ptr<PythonRunner> runner,
      RunnerSource& source, CompiledStore* compiled, const Bounds& bounds);

  PythonContender(const PythonContender&) = delete;
  PythonContender& operator=(const PythonContender&) = delete;
  PythonContender(PythonContender&&) = delete;
  PythonContender& operator=(PythonContender&&) = delete;
  ~PythonContender() override { ahead_stop_.request_stop(); }  // and waits for `ahead_`

  [[nodiscard]] const Loaded& loaded() const { return loaded_; }
  /// Whether something was kept of its source; nothing without a store.
  [[nodiscard]] std::optional<bool> compiled_before() const { return compiled_before_; }
  [[nodiscard]] bool has_contract() const { return kernel_.io.has_value(); }

  /// What the kernel's own get_inputs, get_init_inputs or state_dict gives, brought to us. Its
  /// elements stay until the next call.
  [[nodiscard]] Attempt<Payload> produce(Parcel parcel, std::uint64_t seed, const Bounds& bounds);
  /// Has the runner begin with the next call ahead of time. That call must be produce() with the
  /// same arguments.
  void produce_ahead(Parcel parcel, std::uint64_t seed, const Bounds& bounds);
  /// Waits until that is done, so that the runner can be asked for something else first.
  void await_ahead() const {
    if (ahead_.valid()) ahead_.wait();
  }
  /// Constructs the model, where the kernel is one.
  [[nodiscard]] Attempt<void> initialise(const Payload& arguments, VaryWeights vary,
                                         const Bounds& bounds);
  /// Of a reference, after its state was produced.
  [[nodiscard]] const VariedWeights& varied() const { return varied_; }
  /// Copies parameters from another model. Each that found no match comes with why.
  [[nodiscard]] Attempt<Stated> take_state(const Payload& state, const Bounds& bounds);
  /// What its model keeps of the calls so far, as running means. Valid until the next such call, or
  /// one of answer_precisely.
  [[nodiscard]] Attempt<Answer> kept(const Bounds& bounds);
  /// Keeps what was compiled since, for the next evaluation of the same source.
  void keep_compiled(const Bounds& bounds);
  /// Sets how large answers may be. If an answer claims to be much larger than this one, no
  /// elements are fetched: that would take memory for whatever size it claims.
  void expect_size_of(const Answer& answer);
  /// From the next fill on, runs may change the inputs. They are restored before each run.
  void allow_input_changes();
  [[nodiscard]] bool may_change_inputs() const { return inputs_may_change_; }
  /// Of a run that changed inputs and returned an answer: the inputs that are no part of the
  /// answer, by position. A tensor that lies in an input and holds the same shows what became of
  /// it.
  [[nodiscard]] Attempt<std::vector<std::size_t>> inputs_beside_answer(const Bounds& bounds);
  /// From now on answers end with what runs left in these inputs.
  void answer_with_inputs(std::vector<std::size_t> positions) {
    with_inputs_ = std::move(positions);
  }

  /// Whether torch may compute the float32 of its last run in TF32.
  [[nodiscard]] bool allows_tf32() const { return allows_tf32_; }

  /// What a copy of the kernel answers in float64 to what it was last filled with; nothing if it
  /// cannot compute so. Valid until the next such call. With `of_last_run` the copy is of the
  /// kernel before its last run, because that run may have changed what it keeps.
  struct Precise {
    Answer answer;
    DType lowest = DType::float64;  // that it computed in nevertheless
  };
  [[nodiscard]] Attempt<std::optional<Precise>> answer_precisely(bool of_last_run,
                                                                 const Bounds& bounds);
  /// The same in its own precision.
  [[nodiscard]] Attempt<std::optional<Answer>> answer_of_copy(bool of_last_run,
                                                              const Bounds& bounds);

  [[nodiscard]] Attempt<void> fill(const RoundInputs& inputs, const Bounds& bounds) override;
  [[nodiscard]] std::vector<std::span<const std::byte>> contents() const override {
    return buffers_->contents();
  }
  [[nodiscard]] Attempt<void> refill(std::vector<std::span<const std::byte>> contents,
                                     const tensor::Poison& blank) override;
  [[nodiscard]] Attempt<void> run(const Bounds& bounds) override;
  [[nodiscard]] Attempt<void> warm(int calls, const Bounds& bounds) override;
  [[nodiscard]] Attempt<std::vector<double>> time(int samples, const Bounds& bounds) override;
  [[nodiscard]] Result<void> exchange_elements(std::uint64_t seed) override;
  [[nodiscard]] Result<void> give_back_elements() override { return buffers_->give_back(); }
  [[nodiscard]] Scene scene() const override;
  [[nodiscard]] Attempt<void> arm(const ArmCommand& command, std::span<const int> descriptors,
                                  const Bounds& bounds) override;
  [[nodiscard]] Attempt<Rounded> round(const RoundCommand& command, const Bounds& bounds) override;
  [[nodiscard]] Attempt<std::vector<double>> host_time(std::uint32_t calls,
                                                       const Bounds& bounds) override;
  [[nodiscard]] Attempt<Traced> trace(const TraceCommand& command, const Bounds& bounds) override {
    return post_.ask<Traced>(command, {}, bounds);
  }
  [[nodiscard]] Attempt<void> profile(const ProfileCommand& command, const Bounds& bounds) override;
  [[nodiscard]] Attempt<Answer> answer(const Bounds& bounds) override;
  void release_answer() override;
  [[nodiscard]] std::size_t restored_bytes() const override {
    return buffers_ ? buffers_->restored_bytes() : 0;
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> cpu_time() const override {
    return post_.runner().cpu_time();
  }
  [[nodiscard]] std::optional<ProcessorUse> processor_use() const override {
    return post_.runner().processor_use();
  }
  [[nodiscard]] Result<void> pause() override { return post_.runner().pause(); }
  void resume() override { post_.runner().resume(); }

 private:
  PythonContender(const Kernel& kernel, CompiledStore* compiled, ParcelPost post)
      : kernel_(kernel), compiled_(compiled), post_(std::move(post)) {}

  [[nodiscard]] std::vector<TensorLeaf> leaves() const;
  [[nodiscard]] Attempt<std::optional<Tree>> ask_copy(const PythonCommand& command,
                                                      const Bounds& bounds);
  [[nodiscard]] Attempt<void> set_arguments(const Tree& arguments,
                                            const std::vector<tensor::SlotSpec>& specs,
                                            std::vector<std::string> names, const Bounds& bounds);

  [[nodiscard]] Attempt<void> stand_still();
  [[nodiscard]] Result<std::vector<judge::OutputView>> changed_inputs() const;

  const Kernel& kernel_;
  CompiledStore* compiled_;
  ParcelPost post_;
  Loaded loaded_;
  std::optional<bool> compiled_before_;
  VariedWeights varied_;
  bool inputs_may_change_ = false;
  std::vector<std::size_t> with_inputs_;  // that are part of answers
  bool allows_tf32_ = false;
  std::optional<Tree> arguments_;  // as given, without offsets
  std::optional<Buffers> buffers_;
  std::optional<std::size_t> most_answer_;    // bytes that are fetched
  std::optional<Tree> returned_;              // by the last run; nothing after timed runs
  std::optional<std::uint64_t> fingerprint_;  // of what the last timed run returned
  ParcelPost::Landing produced_;
  ParcelPost::Landing outputs_;
  ParcelPost::Landing precise_;
  std::stop_source ahead_stop_;
  std::future<Attempt<Produced>> ahead_;  // last: it uses all above
};

}  // namespace assay::eval
