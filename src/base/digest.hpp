#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay {

/// A SHA-256: names content in the build cache and the artifact store.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  friend auto operator<=>(const Digest&, const Digest&) = default;
  /// 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;
  [[nodiscard]] static Result<Digest> from_hex(std::string_view text);
};

/// Hashes several fields so that no two different sequences of fields give the same input:
/// each is preceded by its length.
class Hasher {
 public:
  Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  Hasher(Hasher&&) = delete;
  Hasher& operator=(Hasher&&) = delete;
  ~Hasher();

  Hasher& field(std::string_view bytes);
  /// Bytes without a length before them: for content hashed alone, in pieces.
  Hasher& raw(std::span<const std::byte> bytes);
  [[nodiscard]] Digest finish();

 private:
  void* context_;  // EVP_MD_CTX, owned
};

/// The plain SHA-256 of `bytes`, as `sha256sum` gives it.
[[nodiscard]] Digest sha256(std::string_view bytes);

}  // namespace assay
