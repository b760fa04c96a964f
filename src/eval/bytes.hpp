#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace assay::eval {

// By the C library: the algorithms of the standard one go byte by byte over spans of bytes.

[[nodiscard]] inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

/// As many as both have.
inline void copy_bytes(std::span<const std::byte> from, std::span<std::byte> into) {
  const std::size_t size = std::min(from.size(), into.size());
  if (size > 0) std::memcpy(into.data(), from.data(), size);
}

}  // namespace assay::eval
