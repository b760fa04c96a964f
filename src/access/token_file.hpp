#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/token.hpp"
#include "base/result.hpp"

namespace assay::access {

/// Tokens on disk, readable by their owner alone: a line each with id, name, scopes, limits and
/// hash. Several processes may change it at once; a server reads it again when it changes.
class TokenFile {
 public:
  explicit TokenFile(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool exists() const;
  /// Fails with `not_found` where there is no file, and `data_loss` naming the line that is not a
  /// token.
  [[nodiscard]] Result<std::vector<Token>> read() const;
  /// Makes the file where there is none. Fails with `conflict` where the name is taken.
  [[nodiscard]] Result<void> add(const Token& token) const;
  /// By id or name. The file stays, even empty: a server without tokens would let everybody in.
  [[nodiscard]] Result<Token> revoke(std::string_view id_or_name) const;

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string encode_tokens(const std::vector<Token>& tokens);
[[nodiscard]] Result<std::vector<Token>> decode_tokens(std::string_view text);

}  // namespace assay::access
