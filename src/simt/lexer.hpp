#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::simt {

enum class TokenKind : std::uint8_t { word, number, text, symbol };

/// A piece of C++ source that is neither blank nor comment. The kind `text` is a string or
/// character literal. A symbol is one character, except "::" and "->".
struct Token {
  TokenKind kind;
  bool in_directive;      // inside a preprocessor line, continuation lines included
  bool starts_directive;  // the '#' itself
  std::uint32_t line;     // from 1
  std::size_t offset;     // in the source
  std::string_view spelling;

  [[nodiscard]] std::size_t end() const { return offset + spelling.size(); }
  [[nodiscard]] bool is(std::string_view what) const { return spelling == what; }
};

/// Cuts CUDA C++ into tokens. Never fails: what the compiler will refuse is passed on as it is.
/// The tokens refer to `source`.
[[nodiscard]] std::vector<Token> lex(std::string_view source);

}  // namespace assay::simt
