#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/parallel.hpp"

namespace assay::eval {

// By the C library: the algorithms of the standard one go byte by byte over spans of bytes.

// Several threads at a time: inputs may hold gigabytes.

inline constexpr std::size_t kStretch = std::size_t{16} << 20U;
inline constexpr std::size_t kCopyThreads = 8;

[[nodiscard]] inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  std::atomic<bool> same = true;
  in_parallel((a.size() + kStretch - 1) / kStretch, kCopyThreads, [&](std::size_t stretch) {
    const std::size_t first = stretch * kStretch;
    const std::size_t size = std::min(kStretch, a.size() - first);
    if (std::memcmp(a.data() + first, b.data() + first, size) != 0) same = false;
  });
  return same;
}

/// As many as both have.
inline void copy_bytes(std::span<const std::byte> from, std::span<std::byte> into) {
  const std::size_t all = std::min(from.size(), into.size());
  in_parallel((all + kStretch - 1) / kStretch, kCopyThreads, [&](std::size_t stretch) {
    const std::size_t first = stretch * kStretch;
    std::memcpy(into.data() + first, from.data() + first, std::min(kStretch, all - first));
  });
}

}  // namespace assay::eval
