#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "eval/runner.hpp"

namespace assay::eval {

enum class Whose : std::uint8_t { reference, candidate };

/// How much of the device's memory each kernel has taken while it was its turn. If the device does
/// not tell what is free, it counts nothing.
class MemoryShares {
 public:
  explicit MemoryShares(const RunnerSource* device) : device_(device) {}

  /// Does a part of a kernel's own work and notes what is gone afterwards.
  template <class Work>
  auto during(Whose whose, const Work& work) {
    const auto before = free_memory();
    auto done = work();
    note(whose, before, free_memory());
    return done;
  }

  /// Which kernel has the memory that buffers need, and how much it took. Nobody, if the kernels
  /// hold less than half of what was free at first: then somebody else has the memory.
  struct Holder {
    Whose whose;
    std::size_t bytes;
  };
  [[nodiscard]] std::optional<Holder> to_blame() const;
  /// What the candidate holds, if it is to blame and holds more than twice what the reference does.
  [[nodiscard]] std::optional<std::size_t> hoarded_by_candidate() const;

 private:
  [[nodiscard]] std::optional<std::size_t> free_memory() const;
  void note(Whose whose, std::optional<std::size_t> before, std::optional<std::size_t> after);

  const RunnerSource* device_;  // null: not watched
  std::size_t free_at_first_ = 0;
  std::size_t reference_ = 0;
  std::size_t candidate_ = 0;
};

}  // namespace assay::eval
