// libstdc++ as built on Debian 12 calls arc4random, which only glibc 2.36 has; the binary must
// start on 2.35. Defining it here keeps the import out. It serves std::random_device alone, which
// nothing of ours uses.
#include <cstdint>

#include "base/random.hpp"

extern "C" std::uint32_t arc4random() {
  return static_cast<std::uint32_t>(assay::random_u64());
}
