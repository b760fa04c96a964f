#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/result.hpp"

namespace assay::access {

/// `submit`: make jobs, see and cancel one's own. `read`: see every job. `admin`: all of it.
enum class Scope : std::uint8_t { submit, read, admin };

[[nodiscard]] std::string_view to_string(Scope scope);
[[nodiscard]] Result<Scope> parse_scope(std::string_view name);

/// What a token may use; absent: as much as it likes.
struct Limits {
  std::optional<std::uint64_t> per_minute{};      // jobs submitted
  std::optional<std::uint64_t> concurrent{};      // jobs that have not ended
  std::optional<std::uint64_t> device_seconds{};  // in any 24 hours

  friend bool operator==(const Limits&, const Limits&) = default;
};

/// Somebody who may use the server. The secret itself is stored nowhere, only its hash. It has 160
/// random bits, so a plain SHA-256 of it cannot be searched.
struct Token {
  std::string id;  // public: stands in jobs, lists and the audit log
  std::string name;
  std::vector<Scope> scopes;
  Limits limits{};
  Digest hash{};

  [[nodiscard]] bool may(Scope scope) const;
  friend bool operator==(const Token&, const Token&) = default;
};

struct NewToken {
  Token token;
  std::string secret;  // to be shown once
};

/// Fails with `invalid_argument` if there is no scope, or if the name is not 1 to 64 letters,
/// digits, '.', '_' or '-'.
[[nodiscard]] Result<NewToken> make_token(std::string name, std::vector<Scope> scopes,
                                          Limits limits);

[[nodiscard]] Digest hash_of(std::string_view secret);

}  // namespace assay::access
