#pragma once

#include <string_view>
#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {

/// Rewrites `kernel<<<grid, block, shared, stream>>>(arguments)` into calls of
/// assay::simt::launcher. The kernel stays an expression that is called with the arguments. So
/// template deduction, overloads and function pointers work as the compiler knows them.
void rewrite_launches(std::string_view source, const std::vector<Token>& tokens, Edits& edits);

}  // namespace assay::simt
