#include "base/random.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/random.h>

namespace assay {
namespace {

void fill_at_random(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      std::fputs("assay: the kernel gives no random bytes\n", stderr);
      std::abort();
    }
  }
}

}  // namespace

std::uint64_t random_u64() {
  std::uint64_t value = 0;
  fill_at_random(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::vector<std::byte> random_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  fill_at_random(bytes);
  return bytes;
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
