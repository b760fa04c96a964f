#pragma once

#include <string_view>
#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {

/// Rewrites every __shared__ declaration. A static one becomes a local struct of the same members,
/// and references into the block's memory. An `extern` one becomes a pointer to the dynamic part.
/// One at file scope is declared again inside each function that names it.
void rewrite_shared_variables(std::string_view source, const std::vector<Token>& tokens,
                              const Structure& structure, Edits& edits);

}  // namespace assay::simt
