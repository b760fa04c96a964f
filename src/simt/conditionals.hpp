#pragma once

#include <cstddef>
#include <vector>

#include "simt/lexer.hpp"

namespace assay::simt {

/// For each token, whether the preprocessor would keep it. Follows #if and its relatives. It knows
/// the macros that simt compiles with, and those that the source defines as numbers or conditions.
/// A condition that compares an unknown name counts as false, as in C++. `before` holds directives
/// that stand before the tokens.
[[nodiscard]] std::vector<bool> kept_tokens(const std::vector<Token>& tokens,
                                            const std::vector<Token>& before = {});

}  // namespace assay::simt
