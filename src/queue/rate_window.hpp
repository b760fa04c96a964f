#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace assay::queue {

/// How many things happened lately, to the second, over at most five minutes.
class RateWindow {
 public:
  static constexpr std::chrono::seconds kSpan{300};

  void add(SteadyTime now);
  /// In the last `span`, the present second included.
  [[nodiscard]] std::uint64_t count(SteadyTime now, std::chrono::seconds span) const;

 private:
  struct Second {
    std::int64_t second = -1;
    std::uint64_t count = 0;
  };
  std::array<Second, static_cast<std::size_t>(kSpan.count())> ring_;
};

}  // namespace assay::queue
