#include "access/token.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/result.hpp"

namespace assay::access {
namespace {

constexpr std::array<std::pair<Scope, std::string_view>, 3> kScopes = {
    {{Scope::submit, "submit"}, {Scope::read, "read"}, {Scope::admin, "admin"}}};
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kSecretDigits = 40;
constexpr std::size_t kIdDigits = 8;
// So that scanners for leaked secrets, and people, know one when they see it.
constexpr std::string_view kPrefix = "assay_";

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

}  // namespace

std::string_view to_string(Scope scope) {
  for (const auto& [known, name] : kScopes) {
    if (known == scope) return name;
  }
  std::unreachable();
}

Result<Scope> parse_scope(std::string_view name) {
  for (const auto& [scope, known] : kScopes) {
    if (known == name) return scope;
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("scope '{}' is none of submit, read, admin", name));
}

bool Token::may(Scope scope) const {
  return std::ranges::any_of(scopes,
                             [&](Scope own) { return own == scope || own == Scope::admin; });
}

Result<NewToken> make_token(std::string name, std::vector<Scope> scopes, Limits limits) {
  if (!is_name(name)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("token name '{}' must have 1 to {} letters, digits, '.', '_' or '-'",
                            name, kLongestName));
  }
  if (scopes.empty()) {
    return fail(ErrorCode::invalid_argument, "a token needs a scope: submit, read or admin");
  }
  NewToken made{.token = {.id = random_hex(kIdDigits),
                          .name = std::move(name),
                          .scopes = std::move(scopes),
                          .limits = limits},
                .secret = std::string(kPrefix) + random_hex(kSecretDigits)};
  made.token.hash = hash_of(made.secret);
  return made;
}

Digest hash_of(std::string_view secret) {
  return sha256(secret);
}

}  // namespace assay::access
