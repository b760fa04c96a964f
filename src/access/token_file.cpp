#include "access/token_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "access/token.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/os.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace assay::access {
namespace {

constexpr std::string_view kHeader =
    "# id name scopes jobs/minute jobs-at-once device-seconds/day sha256 (-: no limit)\n";
constexpr std::string_view kNoLimit = "-";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string limit_text(const std::optional<std::uint64_t>& limit) {
  return limit ? std::to_string(*limit) : std::string(kNoLimit);
}

Result<std::optional<std::uint64_t>> parse_limit(std::string_view text) {
  if (text == kNoLimit) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return fail(ErrorCode::data_loss, fmt::format("'{}' is not a limit", text));
  }
  return value;
}

Result<Token> decode_token(std::string_view line) {
  const auto fields = split(line, ' ');
  if (fields.size() != 7) return fail(ErrorCode::data_loss, "it has not seven fields");
  Token token{.id = std::string(fields[0]), .name = std::string(fields[1]), .scopes = {}};
  for (const std::string_view name : split(fields[2], ',')) {
    ASSAY_TRY(const Scope scope, parse_scope(name));
    token.scopes.push_back(scope);
  }
  ASSAY_TRY(token.limits.per_minute, parse_limit(fields[3]));
  ASSAY_TRY(token.limits.concurrent, parse_limit(fields[4]));
  ASSAY_TRY(token.limits.device_seconds, parse_limit(fields[5]));
  ASSAY_TRY(token.hash, Digest::from_hex(fields[6]));
  return token;
}

/// Held while the file is read and written again.
Result<UniqueFd> lock_beside(const std::filesystem::path& path) {
  const std::string name = path.string() + ".lock";
  UniqueFd lock(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!lock) return std::unexpected(errno_error("open " + name, ErrorCode::invalid_argument));
  if (::flock(lock.get(), LOCK_EX) != 0) return std::unexpected(errno_error("lock " + name));
  return lock;
}

Result<void> write_tokens(const std::filesystem::path& path, const std::vector<Token>& tokens) {
  return write_private_file(path, encode_tokens(tokens));
}

std::unexpected<Error> without_file(const std::filesystem::path& path) {
  return fail(
      ErrorCode::not_found,
      fmt::format("there is no file of tokens {}: `assay token create` makes it", path.string()));
}

}  // namespace

std::string encode_tokens(const std::vector<Token>& tokens) {
  std::string text(kHeader);
  for (const Token& token : tokens) {
    std::string scopes;
    for (const Scope scope : token.scopes) {
      scopes += fmt::format("{}{}", scopes.empty() ? "" : ",", to_string(scope));
    }
    text += fmt::format("{} {} {} {} {} {} {}\n", token.id, token.name, scopes,
                        limit_text(token.limits.per_minute), limit_text(token.limits.concurrent),
                        limit_text(token.limits.device_seconds), token.hash.hex());
  }
  return text;
}

Result<std::vector<Token>> decode_tokens(std::string_view text) {
  std::vector<Token> tokens;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    auto token = decode_token(line);
    if (!token) {
      return fail(ErrorCode::data_loss,
                  fmt::format("line {} is not a token: {}", number, token.error().message()));
    }
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

bool TokenFile::exists() const {
  std::error_code ignored;
  return std::filesystem::exists(path_, ignored);
}

Result<std::vector<Token>> TokenFile::read() const {
  if (!exists()) return without_file(path_);
  ASSAY_TRY(const std::string text, read_file(path_));
  auto tokens = decode_tokens(text);
  if (!tokens) return std::unexpected(std::move(tokens).error().while_doing(path_.string()));
  return tokens;
}

Result<void> TokenFile::add(const Token& token) const {
  ASSAY_TRY(const UniqueFd lock, lock_beside(path_));
  std::vector<Token> tokens;
  if (exists()) {
    ASSAY_TRY(tokens, read());
  }
  if (std::ranges::find(tokens, token.name, &Token::name) != tokens.end()) {
    return fail(ErrorCode::conflict,
                fmt::format("there is a token named '{}' already: revoke it, or take another name",
                            token.name));
  }
  tokens.push_back(token);
  return write_tokens(path_, tokens);
}

Result<Token> TokenFile::revoke(std::string_view id_or_name) const {
  if (!exists()) return without_file(path_);  // before a lock lies there for nothing
  ASSAY_TRY(const UniqueFd lock, lock_beside(path_));
  ASSAY_TRY(std::vector<Token> tokens, read());
  const auto found = std::ranges::find_if(tokens, [&](const Token& token) {
    return token.id == id_or_name || token.name == id_or_name;
  });
  if (found == tokens.end()) {
    return fail(ErrorCode::not_found, fmt::format("there is no token '{}'", id_or_name));
  }
  Token revoked = std::move(*found);
  tokens.erase(found);
  if (auto written = write_tokens(path_, tokens); !written) {
    return std::unexpected(std::move(written).error());
  }
  return revoked;
}

}  // namespace assay::access
