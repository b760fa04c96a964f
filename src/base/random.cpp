#include "base/random.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/random.h>

namespace assay {

std::uint64_t random_u64() {
  std::uint64_t value = 0;
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    if (errno == EINTR) continue;
    std::fputs("assay: the kernel gives no random bytes\n", stderr);
    std::abort();
  }
  return value;
}

std::string random_hex(std::size_t digits) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (i % 16 == 0) bits = random_u64();
    text += kDigits[bits & 0xFU];
    bits >>= 4U;
  }
  return text;
}

std::string random_uuid() {
  static constexpr std::string_view kVariants = "89ab";
  std::string hex = random_hex(32);
  hex[12] = '4';
  hex[16] = kVariants[random_u64() % 4];
  for (const std::size_t dash : {20U, 16U, 12U, 8U}) hex.insert(dash, 1, '-');
  return hex;
}

}  // namespace assay
