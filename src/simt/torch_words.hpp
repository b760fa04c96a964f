#pragma once

#include <vector>

#include "simt/edits.hpp"
#include "simt/lexer.hpp"

namespace assay::simt {

/// Makes what a source says to torch about CUDA true here, where every tensor lies in the host's
/// memory: `x.is_cuda()` asks for the CPU, torch::kCUDA and "cuda:0" name it.
void rewrite_torch_words(const std::vector<Token>& tokens, Edits& edits);

}  // namespace assay::simt
