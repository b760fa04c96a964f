#include "eval/memory_shares.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "eval/runner.hpp"

namespace assay::eval {

std::optional<std::size_t> MemoryShares::free_memory() const {
  return device_ == nullptr ? std::nullopt : device_->free_memory();
}

void MemoryShares::note(Whose whose, std::optional<std::size_t> before,
                        std::optional<std::size_t> after) {
  if (!before || !after) return;
  free_at_first_ = std::max(free_at_first_, *before);
  if (*after < *before) (whose == Whose::reference ? reference_ : candidate_) += *before - *after;
}

std::optional<MemoryShares::Holder> MemoryShares::to_blame() const {
  const std::size_t together = reference_ + candidate_;
  if (together == 0 || together < free_at_first_ / 2) return std::nullopt;
  if (reference_ > candidate_) return Holder{.whose = Whose::reference, .bytes = reference_};
  return Holder{.whose = Whose::candidate, .bytes = candidate_};
}

std::optional<std::size_t> MemoryShares::hoarded_by_candidate() const {
  const auto holder = to_blame();
  if (!holder || holder->whose == Whose::reference) return std::nullopt;
  return candidate_ > 2 * reference_ ? std::optional(candidate_) : std::nullopt;
}

}  // namespace assay::eval
