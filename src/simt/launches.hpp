#pragma once

#include <string_view>
#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"
#include "simt/structure.hpp"

namespace assay::simt {

/// Rewrites `kernel<<<grid, block, shared, stream>>>(arguments)` into calls of
/// assay::simt::launcher. The kernel stays an expression that is called with the arguments. So
/// template deduction, overloads and function pointers work as the compiler knows them.
void rewrite_launches(std::string_view source, const std::vector<Token>& tokens, Edits& edits);

/// Drops the cast in `cudaLaunchKernel((void*)scale<float>, …)`. By its type the kernel can be
/// launched even if nothing has registered it, as for an instance of a template. Kernels that are
/// registered keep it: they are known by their name.
void keep_kernel_types(const std::vector<Token>& tokens, const Structure& structure, Edits& edits);

}  // namespace assay::simt
