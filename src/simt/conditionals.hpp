#pragma once

#include <cstddef>
#include <vector>

#include "simt/lexer.hpp"

namespace assay::simt {

/// For each token, whether the preprocessor would keep it. Follows #if and its relatives with the
/// macros simt compiles with and those the source defines as numbers or conditions; one that cannot
/// be worked out counts as false where it compares an unknown name, as in C++. `before` are
/// directives that stand before them.
[[nodiscard]] std::vector<bool> kept_tokens(const std::vector<Token>& tokens,
                                            const std::vector<Token>& before = {});

}  // namespace assay::simt
