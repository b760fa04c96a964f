#pragma once

#include <cstddef>
#include <cstring>

namespace assay::simt {

/// Memory that nobody has written holds no promise. It holds NaN for every float type and a large
/// number for integers, never a lucky zero. The pattern is not that of outputs, so that a kernel
/// which copies such memory into its output has still written it.
inline void poison(void* memory, std::size_t bytes) {
  constexpr unsigned char kPattern[] = {0xfe, 0x7f};
  auto* const to = static_cast<unsigned char*>(memory);
  std::size_t done = bytes < sizeof kPattern ? bytes : sizeof kPattern;
  std::memcpy(to, kPattern, done);
  while (done < bytes) {  // twice as much each time
    const std::size_t more = done < bytes - done ? done : bytes - done;
    std::memcpy(to + done, to, more);
    done += more;
  }
}

}  // namespace assay::simt
