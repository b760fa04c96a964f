#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {

/// An asm statement: `asm volatile("…" : "=r"(x) : "r"(y))`. Indices are into the tokens.
struct AsmStatement {
  struct Operand {
    std::string constraint;  // "=r"
    std::string_view expression;
  };
  std::size_t begin = 0;  // the word asm
  std::size_t end = 0;    // the bracket that closes it
  std::string text;       // its escapes resolved
  std::vector<Operand> outputs;
  std::vector<Operand> inputs;
};

/// The statement that begins at token `i`. None where its text is not all literals.
[[nodiscard]] std::optional<AsmStatement> read_asm(std::string_view source,
                                                   const std::vector<Token>& tokens, std::size_t i);

/// The instruction, or the constraint, that this device has nothing for; empty if there is none.
[[nodiscard]] std::string unknown_ptx(const AsmStatement& statement);

/// Replaces asm statements by C++ for simt/include/assay/simt/ptx.hpp. Leaves those alone that it
/// cannot translate. Returns whether there was any.
bool rewrite_inline_ptx(std::string_view source, const std::vector<Token>& tokens, Edits& edits);

}  // namespace assay::simt
