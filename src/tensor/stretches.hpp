#pragma once

#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"

namespace assay::tensor {

/// Large arrays are made and compared in stretches of so many elements, several at a time. The
/// stretches are the same on any machine, and so are sums over them. The size is a multiple of what
/// one block of philox makes.
inline constexpr std::size_t kStretch = std::size_t{1} << 16U;
inline constexpr std::size_t kMostThreads = 8;

[[nodiscard]] constexpr std::size_t stretch_count(std::size_t elements) {
  return (elements + kStretch - 1) / kStretch;
}

/// Calls `task(stretch, from, to)` for each stretch of the elements.
template <class Task>
void in_stretches(std::size_t elements, const Task& task) {
  in_parallel(stretch_count(elements), kMostThreads, [&](std::size_t stretch) {
    task(stretch, stretch * kStretch, std::min(elements, (stretch + 1) * kStretch));
  });
}

}  // namespace assay::tensor
