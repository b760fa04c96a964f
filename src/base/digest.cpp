#include "base/digest.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include <openssl/evp.h>
#include <openssl/types.h>

#include "base/error.hpp"
#include "base/result.hpp"

namespace assay {
namespace {

// libcrypto fails here only when out of memory, which nothing above could handle either.
void require(bool ok) {
  if (ok) return;
  std::fputs("assay: libcrypto failed to hash\n", stderr);
  std::abort();
}

EVP_MD_CTX* context_of(void* opaque) {
  return static_cast<EVP_MD_CTX*>(opaque);
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

}  // namespace

std::string Digest::hex() const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

Result<Digest> Digest::from_hex(std::string_view text) {
  Digest digest;
  if (text.size() != digest.bytes.size() * 2) {
    return fail(ErrorCode::invalid_argument, "a digest is 64 hexadecimal digits");
  }
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return fail(ErrorCode::invalid_argument, "a digest is 64 lower-case hexadecimal digits");
    }
    digest.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr);
  require(EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr) == 1);
}

Hasher::~Hasher() {
  EVP_MD_CTX_free(context_of(context_));
}

Hasher& Hasher::field(std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  raw(std::as_bytes(std::span(&size, 1)));
  return raw(std::as_bytes(std::span(bytes)));
}

Hasher& Hasher::raw(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_of(context_), bytes.data(), bytes.size()) == 1);
  return *this;
}

Digest Hasher::finish() {
  Digest digest;
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_of(context_), digest.bytes.data(), &size) == 1);
  return digest;
}

Digest sha256(std::string_view bytes) {
  return Hasher().raw(std::as_bytes(std::span(bytes))).finish();
}

}  // namespace assay
