#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "eval/runner.hpp"
#include "eval/shared_arena.hpp"

namespace assay::eval {

/// The runners of a device, each of which may hold only so much of the device's memory. What is
/// free is looked at before each command and after its answer, and a runner is charged for what
/// became less meanwhile. A runner that seems to hold too much is ended. If as much becomes free
/// then, the verdict is `out_of_memory`. If not, somebody else took the memory.
class LimitedRunners final : public RunnerSource {
 public:
  /// `runners` outlives this, and this outlives what it hands out.
  explicit LimitedRunners(RunnerSource& runners);

  /// A runner was ended for memory that was not its own. Runners are not limited from then on.
  [[nodiscard]] bool was_mistaken() const { return mistaken_; }

  [[nodiscard]] Result<std::unique_ptr<Runner>> fresh() override;
  [[nodiscard]] Result<std::unique_ptr<PythonRunner>> fresh_python(const Bounds& bounds) override;
  void make_room(const Bounds& bounds) override { runners_.make_room(bounds); }
  void await_ends(const Bounds& bounds) override { runners_.await_ends(bounds); }
  [[nodiscard]] bool python_is_starting() override { return runners_.python_is_starting(); }
  [[nodiscard]] Result<std::unique_ptr<SharedArena>> make_arena(std::size_t size) override {
    return runners_.make_arena(size);
  }
  [[nodiscard]] Result<OutsideClock*> outside_clock() override { return runners_.outside_clock(); }
  [[nodiscard]] std::optional<std::size_t> free_memory() const override {
    return runners_.free_memory();
  }
  [[nodiscard]] std::optional<std::size_t> memory_limit() const override {
    return mistaken_ ? std::nullopt : runners_.memory_limit();
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> processor_pressure() const override {
    return runners_.processor_pressure();
  }

 private:
  RunnerSource& runners_;
  bool mistaken_ = false;
};

}  // namespace assay::eval
