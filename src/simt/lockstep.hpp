#pragma once

#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {

/// Warps that reduce `volatile` shared memory without barriers (`s[t] += s[t + 16];`) count on all
/// lanes reading before any writes, and on all writing before the next statement. Puts the lanes in
/// step at statements that assign to an element of a volatile array and read another one of it.
void keep_in_step(const std::vector<Token>& tokens, const Structure& structure, Edits& edits);

}  // namespace assay::simt
